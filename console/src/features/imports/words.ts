// What kinds, records, states and effects are called.

import type { Tone } from "@/ui/StatusBadge";
import type { Kind } from "./api";

/** Product names are not translated. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  "new-api": "new-api",
  "one-api": "one-api",
  litellm: "LiteLLM",
};

export const ENTITY_TEXT = {
  groups: "imports.entity.groups",
  users: "imports.entity.users",
  tokens: "imports.entity.tokens",
  channels: "imports.entity.channels",
  codes: "imports.entity.codes",
  prices: "imports.entity.prices",
  settings: "imports.entity.settings",
  tables: "imports.entity.tables",
} as const;

export const STATE_TEXT = {
  running: "imports.state.running",
  done: "imports.state.done",
  failed: "imports.state.failed",
  cancelled: "imports.state.cancelled",
  undoing: "imports.state.undoing",
  undone: "imports.state.undone",
  partly_undone: "imports.state.partly_undone",
} as const;

export type State = keyof typeof STATE_TEXT;

export const STATE_TONES: Readonly<Record<State, Tone>> = {
  running: "busy",
  done: "good",
  failed: "bad",
  cancelled: "warning",
  undoing: "busy",
  undone: "idle",
  partly_undone: "warning",
};

export const EFFECT_TEXT = {
  left_out: "imports.effect.left_out",
  changed: "imports.effect.changed",
  attention: "imports.effect.attention",
  kept: "imports.effect.kept",
} as const;

export const EFFECT_TONES: Readonly<Record<string, Tone>> = {
  left_out: "warning",
  changed: "busy",
  attention: "bad",
};

/** A word for what the gateway names; one that this page does not know stays as it is. */
export function wordOf<T extends Record<string, string>>(
  texts: T,
  key: string,
): T[keyof T] | undefined {
  return key in texts ? texts[key as keyof T] : undefined;
}
