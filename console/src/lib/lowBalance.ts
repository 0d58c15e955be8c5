// Below which balance somebody wants to be told. The gateway keeps no such threshold, so it is a
// preference of this browser, one for each account.

import { nanosOf } from "./money";
import { readPreference, storePreference } from "./preference";

const keyOf = (userId: number) => `modelgate-low-balance-${userId}`;

/** Dollars as they were typed; empty while nobody asked to be told. */
export function lowBalanceThreshold(userId: number): string {
  return readPreference(keyOf(userId)) ?? "";
}

export function storeLowBalanceThreshold(userId: number, usd: string): void {
  storePreference(keyOf(userId), usd);
}

/** Whether the balance is below what somebody asked to be told of, or used up. */
export function isBalanceLow(balanceUsd: string, thresholdUsd: string): boolean {
  const balance = nanosOf(balanceUsd);
  return balance <= 0n || (thresholdUsd !== "" && balance < nanosOf(thresholdUsd));
}
