// What the steps of a channel's test say: the gateway's words, else the upstream's own.

import type { TFunction } from "i18next";
import type { Schema } from "@/api/management";
import { formatUsd } from "@/lib/money";

type Step = Schema<"TestStep">;
type Note = NonNullable<Step["note"]>;

export const STEP_NOTES = {
  inside_the_gateway: "said.step.inside",
  plain_http: "said.step.plainHttp",
  key_accepted: "said.step.keyAccepted",
  reply_will_show: "said.step.replyWillShow",
  no_list: "said.step.noList",
  models: "said.step.models",
  first_byte: "said.step.firstByte",
  no_model: "said.step.noModel",
  by_pattern: "said.step.byPattern",
  no_text: "said.step.noText",
  no_usage: "said.step.noUsage",
  no_price: "said.step.noPrice",
  cost: "said.step.cost",
} as const satisfies Record<Note["code"], string>;

/** What there is to say about a step. */
export function stepText(t: TFunction, language: string, step: Step): string {
  const { note, detail } = step;
  if (note === null || note === undefined || !(note.code in STEP_NOTES)) {
    return detail;
  }
  if (note.code === "cost") {
    return t(STEP_NOTES.cost, { usd: formatUsd(note.values.usd, language) });
  }
  return t(STEP_NOTES[note.code], "values" in note ? note.values : {});
}
