// Quota units: the whole numbers in which the interface takes amounts, 500,000 to the dollar.

import { nanosOf, usdOf } from "./money";

const NANOS_PER_UNIT = 2_000n;

/** `"1.25"` is 625000. Nothing where the text is no amount, or finer than a unit. */
export function quotaOfUsd(usd: string): number | undefined {
  if (!/^-?\d+(\.\d*)?$/.test(usd.trim()) || (usd.split(".")[1]?.length ?? 0) > 9) {
    return undefined;
  }
  const nanos = nanosOf(usd);
  const units = Number(nanos / NANOS_PER_UNIT);
  return nanos % NANOS_PER_UNIT === 0n && Number.isSafeInteger(units) ? units : undefined;
}

/** 625000 is `"1.25"`. */
export function usdOfQuota(quota: number): string {
  return usdOf(BigInt(quota) * NANOS_PER_UNIT);
}
