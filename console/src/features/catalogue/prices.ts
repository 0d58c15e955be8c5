// A model's prices as lines that people read, with the group's multiplier worked in exactly.

import { nanosOf, usdOf } from "@/lib/money";
import type { Model } from "./api";

const UNIT = 1_000_000_000n;

/** What a price is for; `unit` says per what. */
export interface PriceLine {
  kind: string;
  usd: string;
  isPerMillion: boolean;
}

/** Prices per token are written per million; those of other units begin with `per_`. */
export function priceLines({
  prices,
  multiplier,
}: Pick<Model, "prices" | "multiplier">): PriceLine[] {
  if (typeof prices !== "object" || prices === null) {
    return [];
  }
  return Object.entries(prices as Record<string, unknown>).flatMap(([kind, price]) =>
    typeof price === "string"
      ? [{ kind, usd: multiplied(price, multiplier), isPerMillion: !kind.startsWith("per_") }]
      : [],
  );
}

function multiplied(usd: string, multiplier: string): string {
  return usdOf((nanosOf(usd) * nanosOf(multiplier)) / UNIT);
}
