// A user's limits as a form, and back as a change: empty is no limit.

import { quotaOfUsd } from "@/lib/quota";
import type { User, UserChange } from "./api";

export const RATES = ["rpm", "tpm", "concurrency"] as const;
export const BUDGETS = [
  "budget_total_usd",
  "budget_daily_usd",
  "budget_weekly_usd",
  "budget_monthly_usd",
] as const;

type Rate = (typeof RATES)[number];
type Budget = (typeof BUDGETS)[number];

export type LimitValues = Record<Rate | Budget, string>;

export function limitsOf(user: User): LimitValues {
  const fields = [...RATES, ...BUDGETS].map((field) => [field, String(user[field] ?? "")]);
  return Object.fromEntries(fields) as LimitValues;
}

/** A whole number above zero, or empty. */
export function isRate(text: string): boolean {
  return text.trim() === "" || /^[1-9]\d{0,14}$/.test(text.trim());
}

/** Dollars, zero included, or empty. */
export function isBudget(text: string): boolean {
  return text.trim() === "" || (quotaOfUsd(text) ?? -1) >= 0;
}

export function limitChange(user: User, values: LimitValues): UserChange {
  const before = limitsOf(user);
  const change: UserChange = { id: user.id };
  for (const field of RATES) {
    const text = values[field].trim();
    if (text !== before[field]) {
      change[field] = text === "" ? null : Number(text);
    }
  }
  for (const field of BUDGETS) {
    const text = values[field].trim();
    if (text !== before[field]) {
      change[field] = text === "" ? null : text;
    }
  }
  return change;
}
