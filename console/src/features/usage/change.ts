// How a figure compares with the period before.

import { nanosOf } from "@/lib/money";

/** The change as a share of what was before; nothing where there was nothing before. */
export function changeOf(now: number | null, before: number | null): number | undefined {
  return now === null || before === null || before === 0 ? undefined : (now - before) / before;
}

/** The same for exact amounts; the quotient is only read as a percentage. */
export function moneyChange(now: string, before: string): number | undefined {
  const [has, had] = [nanosOf(now), nanosOf(before)];
  return had === 0n ? undefined : Number(((has - had) * 10_000n) / had) / 10_000;
}
