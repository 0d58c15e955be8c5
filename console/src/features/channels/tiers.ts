// Tiers of a board: channels of one priority, the highest first, and what a move makes of them.

/** What a tier is made of. */
export interface Tiered {
  id: number;
  priority: number;
  weight: number;
  state: string;
}

export interface Tier<C extends Tiered> {
  priority: number;
  channels: readonly C[];
}

/** Priorities of new tiers leave room for others between them. */
const STEP = 10;

/** Highest priority first; inside a tier by id, so that no edit moves a card. */
export function tiersOf<C extends Tiered>(channels: readonly C[]): Tier<C>[] {
  const byPriority = new Map<number, C[]>();
  for (const channel of channels) {
    const tier = byPriority.get(channel.priority);
    if (tier === undefined) {
      byPriority.set(channel.priority, [channel]);
    } else {
      tier.push(channel);
    }
  }
  return [...byPriority.entries()]
    .sort(([left], [right]) => right - left)
    .map(([priority, tier]) => ({ priority, channels: tier.sort((a, b) => a.id - b.id) }));
}

/** The share that weight alone gives a channel of its tier, from 0 to 1; none where it takes no calls. */
export function shareOf<C extends Tiered>(channel: C, tier: Tier<C>): number | undefined {
  if (channel.state !== "on") {
    return undefined;
  }
  const open = tier.channels.filter(({ state }) => state === "on");
  const sum = open.reduce((total, { weight }) => total + weight, 0);
  return sum === 0 ? 1 / open.length : channel.weight / sum;
}

/** Where a card can go: an existing tier, or a new one at either end. */
export type Target = number | "above" | "below";

/** The priority that a target stands for. */
export function priorityOf<C extends Tiered>(target: Target, tiers: readonly Tier<C>[]): number {
  if (typeof target === "number") {
    return target;
  }
  const priorities = tiers.map(({ priority }) => priority);
  return target === "above" ? Math.max(...priorities) + STEP : Math.min(...priorities) - STEP;
}

/** The target one step up or down; none where a channel alone in the last tier would only rename it. */
export function neighbour<C extends Tiered>(
  channel: C,
  tiers: readonly Tier<C>[],
  direction: "up" | "down",
): Target | undefined {
  const at = tiers.findIndex(({ priority }) => priority === channel.priority);
  const next = tiers[direction === "up" ? at - 1 : at + 1];
  if (next !== undefined) {
    return next.priority;
  }
  const isAlone = (tiers[at]?.channels.length ?? 0) <= 1;
  return isAlone ? undefined : (direction === "up" && "above") || "below";
}
