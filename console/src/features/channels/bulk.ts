// An act on many channels: what it would change, and then the change in small steps that can be stopped.

import { actOnMany, type Channel, updateChannel } from "./api";
import { aliasOf } from "./modelMap";

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

/** How many channels one call changes: few enough that a stop is felt. */
const CHUNK = 10;

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

export interface BulkProgress {
  done: number;
  total: number;
}

/** Changes chunk after chunk until all is done or the signal stops it; tells how far it came. */
export async function runBulk(
  effects: readonly Effect[],
  action: BulkAction,
  onProgress: (progress: BulkProgress) => void,
  signal: AbortSignal,
): Promise<BulkProgress> {
  const todo = effects.filter(({ skipped }) => skipped === undefined).map(({ channel }) => channel);
  let done = 0;
  onProgress({ done, total: todo.length });
  for (let at = 0; at < todo.length && !signal.aborted; at += CHUNK) {
    const chunk = todo.slice(at, at + CHUNK);
    await apply(chunk, action);
    done += chunk.length;
    onProgress({ done, total: todo.length });
  }
  return { done, total: todo.length };
}

async function apply(chunk: readonly Channel[], action: BulkAction): Promise<void> {
  const ids = chunk.map(({ id }) => id);
  switch (action.kind) {
    case "enable":
    case "drain":
    case "disable":
      await actOnMany({ ids, action: action.kind });
      return;
    case "tag":
    case "untag":
      await actOnMany({ ids, action: action.kind, tag: action.tag });
      return;
    case "priority":
      await actOnMany({ ids, action: "priority", priority: action.value });
      return;
    case "weight":
      await actOnMany({ ids, action: "weight", weight: action.value });
      return;
    default:
      for (const channel of chunk) {
        const models = modelsAfter(channel, action.kind, action.models);
        await updateChannel({ id: channel.id, models });
      }
  }
}
