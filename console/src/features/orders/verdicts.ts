// What came of a delivered event, in the words of docs/payments.md.

import type { Tone } from "@/ui/StatusBadge";

export const VERDICT_TEXT = {
  credited: "orders.verdict.credited",
  already_paid: "orders.verdict.alreadyPaid",
  awaits_payment: "orders.verdict.awaitsPayment",
  not_paid: "orders.verdict.notPaid",
  claims_counted: "orders.verdict.claimsCounted",
  unknown_order: "orders.verdict.unknownOrder",
  wrong_amount: "orders.verdict.wrongAmount",
  wrong_currency: "orders.verdict.wrongCurrency",
  wrong_checkout: "orders.verdict.wrongCheckout",
  wrong_mode: "orders.verdict.wrongMode",
  fraud_warning: "orders.verdict.fraudWarning",
  ignored: "orders.verdict.ignored",
  duplicate: "orders.verdict.duplicate",
  bad_signature: "orders.verdict.badSignature",
  stale_signature: "orders.verdict.staleSignature",
  unreadable_signature: "orders.verdict.unreadableSignature",
  not_configured: "orders.verdict.notConfigured",
  not_an_event: "orders.verdict.notAnEvent",
} as const;

export type Verdict = keyof typeof VERDICT_TEXT;

export const VERDICTS = Object.keys(VERDICT_TEXT) as Verdict[];

const GOOD: readonly string[] = ["credited", "claims_counted"];
const IDLE: readonly string[] = [
  "already_paid",
  "awaits_payment",
  "not_paid",
  "ignored",
  "duplicate",
];

export function verdictOf(verdict: string | null): Verdict | undefined {
  return VERDICTS.find((each) => each === verdict);
}

/** Refused ones are bad, flagged ones want somebody to look. */
export function toneOf(verdict: string | null, isRefused: boolean): Tone {
  if (isRefused) {
    return "bad";
  }
  if (verdict === null) {
    return "busy";
  }
  if (GOOD.includes(verdict)) {
    return "good";
  }
  return IDLE.includes(verdict) ? "idle" : "warning";
}
