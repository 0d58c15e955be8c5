// Whom a failing channel could change places with.

import { aliasOf, covers, entryFor } from "@/lib/servedModels";
import type { Channel } from "./api";

export interface Candidate {
  channel: Channel;
  /** How many of the failing channel's models and patterns it serves, too, or a part of them. */
  shared: number;
}

const STATE_ORDER: Readonly<Record<string, number>> = { on: 0, paused: 1, draining: 2, off: 3 };

/** Channels of other tiers that serve some of its models: working ones first, then by how many they share. */
export function candidatesOf(channel: Channel, all: readonly Channel[]): Candidate[] {
  const own = channel.models.map(aliasOf);
  const shared = ({ models }: Channel) =>
    own.filter(
      (name) =>
        entryFor(models, name) !== undefined || models.some((each) => covers(name, aliasOf(each))),
    ).length;
  return all
    .filter((each) => !each.is_declared && each.priority !== channel.priority)
    .map((each) => ({ channel: each, shared: shared(each) }))
    .filter((each) => each.shared > 0)
    .sort((left, right) => orderOf(left) - orderOf(right) || right.shared - left.shared);
}

function orderOf({ channel }: Candidate): number {
  return STATE_ORDER[channel.state] ?? STATE_ORDER.off ?? 0;
}
