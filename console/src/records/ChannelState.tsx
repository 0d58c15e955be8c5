import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";
import { stateReason } from "@/said/channel";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";

const TEXT = {
  on: "channels.state.on",
  draining: "channels.state.draining",
  paused: "channels.state.paused",
  off: "channels.state.off",
} as const;

const TONE: Readonly<Record<keyof typeof TEXT, Tone>> = {
  on: "good",
  draining: "busy",
  paused: "warning",
  off: "idle",
};

function known(state: string): keyof typeof TEXT {
  return state in TEXT ? (state as keyof typeof TEXT) : "off";
}

/** A state in words. */
export function useStateName(): (state: string) => string {
  const { t } = useTranslation();
  return (state) => t(TEXT[known(state)]);
}

/** Whether a channel takes calls, in a word; the reason on hover and focus. */
export function ChannelState({
  channel,
}: {
  channel: Pick<Schema<"Channel">, "state" | "state_reason" | "state_cause">;
}) {
  const { t } = useTranslation();
  const name = useStateName();
  const isOnTrial = channel.state_cause === "on_trial";
  return (
    <StatusBadge
      tone={isOnTrial ? "warning" : TONE[known(channel.state)]}
      label={isOnTrial ? t("channels.state.onTrial") : name(channel.state)}
      reason={stateReason(t, channel)}
    />
  );
}
