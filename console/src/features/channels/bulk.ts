// An act on many channels: what it would change, and what is sent.

import { aliasOf } from "@/lib/servedModels";
import type { Batch, Channel } from "./api";

export type BulkAction =
  | { kind: "enable" | "drain" | "disable" }
  | { kind: "tag" | "untag"; tag: string }
  | { kind: "priority" | "weight"; value: number }
  | { kind: "add_models" | "remove_models"; models: readonly string[] };

export interface Effect {
  channel: Channel;
  before: string;
  after: string;
  /** `declared`: the configuration file alone changes it; `same`: nothing would change. */
  skipped: "declared" | "same" | undefined;
}

const STATE_OF = { enable: "on", drain: "draining", disable: "off" } as const;

/** What the act would make of each channel. */
export function preview(channels: readonly Channel[], action: BulkAction): Effect[] {
  return channels.map((channel) => {
    const [before, after] = beforeAndAfter(channel, action);
    // Whether a declared channel is on is not declared; everything else of it is.
    const isFixed = channel.is_declared && !(action.kind in STATE_OF);
    const same = before === after ? "same" : undefined;
    return { channel, before, after, skipped: isFixed ? "declared" : same };
  });
}

function beforeAndAfter(channel: Channel, action: BulkAction): [string, string] {
  switch (action.kind) {
    case "enable":
    case "drain":
    case "disable":
      return [channel.state, STATE_OF[action.kind]];
    case "tag":
      return pair(channel.tags, [...new Set([...channel.tags, action.tag])]);
    case "untag":
      return pair(
        channel.tags,
        channel.tags.filter((tag) => tag !== action.tag),
      );
    case "priority":
      return [String(channel.priority), String(action.value)];
    case "weight":
      return [String(channel.weight), String(action.value)];
    default:
      return pair(channel.models, modelsAfter(channel, action.kind, action.models));
  }
}

function pair(before: readonly string[], after: readonly string[]): [string, string] {
  return [before.join(", "), after.join(", ")];
}

/** By the names that clients ask for: adding never renames, removing takes renamed ones too. */
function modelsAfter(
  channel: Channel,
  kind: "add_models" | "remove_models",
  models: readonly string[],
): string[] {
  const aliases = models.map(aliasOf);
  if (kind === "remove_models") {
    return channel.models.filter((entry) => !aliases.includes(aliasOf(entry)));
  }
  const known = channel.models.map(aliasOf);
  return [...channel.models, ...models.filter((entry) => !known.includes(aliasOf(entry)))];
}

/** The act as the gateway takes it, for the channels that it changes. */
export function batchOf(effects: readonly Effect[], action: BulkAction): Batch {
  const ids = effects
    .filter(({ skipped }) => skipped === undefined)
    .map(({ channel }) => channel.id);
  switch (action.kind) {
    case "enable":
    case "drain":
    case "disable":
      return { ids, action: action.kind };
    case "tag":
    case "untag":
      return { ids, action: action.kind, tag: action.tag };
    case "priority":
      return { ids, action: "priority", priority: action.value };
    case "weight":
      return { ids, action: "weight", weight: action.value };
    default:
      return { ids, action: action.kind, models: [...action.models] };
  }
}
