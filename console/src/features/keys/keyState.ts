// What a key's fields mean for whoever looks at it.

import { nanosOf } from "@/lib/money";
import type { Tone } from "@/ui/StatusBadge";
import { type Key, PAUSED } from "./api";

export type KeyState = "working" | "paused" | "expired" | "spent";

export const STATE_TEXTS = {
  working: "keys.state.working",
  paused: "keys.state.paused",
  expired: "keys.state.expired",
  spent: "keys.state.spent",
} as const;

export const STATE_TONES: Readonly<Record<KeyState, Tone>> = {
  working: "good",
  paused: "idle",
  expired: "bad",
  spent: "bad",
};

type Judged = Pick<Key, "status" | "expires_at" | "budget_total_usd" | "used_quota_usd">;

/** Whether calls with the key are taken now, or what stands in their way. */
export function keyState(key: Judged, now = Date.now()): KeyState {
  if (key.status === PAUSED) {
    return "paused";
  }
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) {
    return "expired";
  }
  const isSpent =
    key.budget_total_usd !== null && nanosOf(key.used_quota_usd) >= nanosOf(key.budget_total_usd);
  return isSpent ? "spent" : "working";
}

/** How full a budget is, in whole percent and at most 100; the amounts themselves stay exact. */
export function fullness(taken: string, limit: string): number {
  const [has, may] = [nanosOf(taken), nanosOf(limit)];
  if (may === 0n || has >= may) {
    return 100;
  }
  return Number((has * 100n) / may);
}
