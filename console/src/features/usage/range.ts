// The range of time: presets count back from now, in steps that make between 15 and 60 points.

import type { UsageSearch } from "./search";

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** Length and step in seconds. */
const PRESETS = {
  "15m": { length: 15 * MINUTE_S, step: MINUTE_S },
  "1h": { length: HOUR_S, step: 2 * MINUTE_S },
  "6h": { length: 6 * HOUR_S, step: 15 * MINUTE_S },
  "24h": { length: DAY_S, step: HOUR_S },
  "7d": { length: 7 * DAY_S, step: 6 * HOUR_S },
  "30d": { length: 30 * DAY_S, step: DAY_S },
  "90d": { length: 90 * DAY_S, step: 3 * DAY_S },
  "1y": { length: 365 * DAY_S, step: 7 * DAY_S },
} as const;

export const DEFAULT_RANGE = "24h";

/** Points of a range that somebody chose. */
const CUSTOM_POINTS = 40;

export interface Range {
  from: string;
  to: string;
  step_s: number;
}

/** The range of an address; an unreadable one is the usual one. */
export function rangeOf({ range = DEFAULT_RANGE, from, to }: UsageSearch, now: number): Range {
  if (range === "custom") {
    const [begin, end] = [Date.parse(from ?? ""), to === undefined ? now : Date.parse(to)];
    if (begin < end) {
      const seconds = (end - begin) / 1_000;
      const step_s = Math.max(MINUTE_S, Math.floor(seconds / CUSTOM_POINTS));
      return { from: iso(begin), to: iso(end), step_s };
    }
    return rangeOf({ range: DEFAULT_RANGE }, now);
  }
  const { length, step } = PRESETS[range];
  return { from: iso(now - length * 1_000), to: iso(now), step_s: step };
}

/** Where the steps of an answer begin, in milliseconds: the empty ones too. */
export function stepsOf({ from, to, step_s }: Range): number[] {
  const step = step_s * 1_000;
  const first = Math.floor(Date.parse(from) / step) * step;
  const count = Math.max(1, Math.ceil((Date.parse(to) - first) / step));
  return Array.from({ length: count }, (_, index) => first + index * step);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
