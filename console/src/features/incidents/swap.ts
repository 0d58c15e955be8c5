// Whom a failing channel could change places with.

import type { Channel } from "./api";

export interface Candidate {
  channel: Channel;
  /** How many of the failing channel's models it lists, too. */
  shared: number;
}

const STATE_ORDER: Readonly<Record<string, number>> = { on: 0, paused: 1, draining: 2, off: 3 };

/** Channels of other tiers that list some of its models: working ones first, then by how many they share. */
export function candidatesOf(channel: Channel, all: readonly Channel[]): Candidate[] {
  const own = new Set(channel.models.map(aliasOf));
  const shared = ({ models }: Channel) =>
    models.map(aliasOf).filter((each) => own.has(each)).length;
  return all
    .filter((each) => !each.is_declared && each.priority !== channel.priority)
    .map((each) => ({ channel: each, shared: shared(each) }))
    .filter((each) => each.shared > 0)
    .sort((left, right) => orderOf(left) - orderOf(right) || right.shared - left.shared);
}

function orderOf({ channel }: Candidate): number {
  return STATE_ORDER[channel.state] ?? STATE_ORDER.off ?? 0;
}

function aliasOf(entry: string): string {
  return entry.split("=", 1)[0] ?? entry;
}
