// When to get a mail about one's balance, as a form and back: null is the service's default, "0" never.

import { nanosOf } from "@/lib/money";

export const CHOICES = ["default", "own", "never"] as const;

type LowBalanceValues = {
  choice: (typeof CHOICES)[number];
  amount: string;
};

export function lowBalanceOf(usd: string | null): LowBalanceValues {
  if (usd === null) {
    return { choice: "default", amount: "" };
  }
  return usd === "0" ? { choice: "never", amount: "" } : { choice: "own", amount: usd };
}

export function lowBalanceUsd({ choice, amount }: LowBalanceValues): string | null {
  switch (choice) {
    case "default":
      return null;
    case "never":
      return "0";
    case "own":
      return amount.trim();
  }
}

/** Dollars above zero, to the nano-dollar. */
export function isAmount(text: string): boolean {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) && nanosOf(text) > 0n;
}
