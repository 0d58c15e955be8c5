// Figures that the overview works out from what the gateway counted: shares, changes, pace.

import { nanosOf } from "@/lib/money";
import type { Sums } from "./api";

/** Failed calls of all, 0 to 1; unknown without calls. */
export function errorShare({ errors, requests }: Pick<Sums, "errors" | "requests">): number | null {
  return requests === 0 ? null : errors / requests;
}

/** By how much `now` differs from `before`, as a share of it; unknown where there was nothing. */
export function change(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / before;
}

const DAYS = 7n;

/** For how many days a balance lasts at the pace of the last seven; unknown without spending. */
export function daysLeft(balanceUsd: string, weekUsd: string): number | null {
  const week = nanosOf(weekUsd);
  const balance = nanosOf(balanceUsd);
  return week <= 0n || balance <= 0n ? null : Number((balance * DAYS) / week);
}

const DAY_HOURS = 24;
const HOUR_MS = 3_600_000;

/** One value for each of the last 24 hours; `empty` for hours without calls: 0 of a sum, no share. */
export function byHour(
  points: readonly { at: string; sums: Sums }[],
  to: string,
  value: (sums: Sums) => number | null,
  empty: 0 | null,
): (number | null)[] {
  const end = Math.ceil(Date.parse(to) / HOUR_MS);
  const hours = new Map(
    points.map(({ at, sums }) => [Math.floor(Date.parse(at) / HOUR_MS), value(sums)]),
  );
  return Array.from(
    { length: DAY_HOURS },
    (_, index) => hours.get(end - DAY_HOURS + index) ?? empty,
  );
}
