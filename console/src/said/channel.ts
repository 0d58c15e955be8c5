// Why a channel is not on, or not surely.

import type { TFunction } from "i18next";
import type { Schema } from "@/api/management";

type Channel = Schema<"Channel">;
type Cause = NonNullable<Channel["state_cause"]>;

export const STATE_CAUSES = {
  failing: "channels.cause.failing",
  cooling: "channels.cause.cooling",
  misconfigured: "channels.cause.misconfigured",
  on_trial: "channels.cause.onTrial",
} as const satisfies Record<Exclude<Cause, "set">, string>;

/** The reason with what it is about; whoever has set the state said it in words of their own. */
export function stateReason(
  t: TFunction,
  { state_cause, state_reason }: Pick<Channel, "state_cause" | "state_reason">,
): string | null {
  if (state_cause === null || state_cause === undefined || state_cause === "set") {
    return state_reason ?? null;
  }
  return t(STATE_CAUSES[state_cause], { reason: state_reason ?? "" });
}
