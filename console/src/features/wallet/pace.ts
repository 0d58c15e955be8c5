// How long a balance lasts at the pace of the last days. Whole nano-dollars throughout.

import { nanosOf, usdOf } from "@/lib/money";

const DAY_MS = 86_400_000;

export interface Pace {
  /** Mean spending a day. */
  perDayUsd: string;
  /** Whole days until the balance is used up; nothing where nothing is spent. */
  daysLeft: number | undefined;
}

/** Over how many days a mean is honest: an account of yesterday has no week behind it. */
export function daysCounted(createdAt: string, now: number, most: number): number {
  const age = Math.ceil((now - Date.parse(createdAt)) / DAY_MS);
  return Math.min(most, Math.max(1, age));
}

export function paceOf(spentUsd: string, days: number, balanceUsd: string): Pace {
  const perDay = nanosOf(spentUsd) / BigInt(days);
  const balance = nanosOf(balanceUsd);
  if (perDay <= 0n) {
    return { perDayUsd: "0", daysLeft: undefined };
  }
  const daysLeft = balance <= 0n ? 0 : Number(balance / perDay);
  return { perDayUsd: usdOf(perDay), daysLeft };
}
