import { expect, it } from "vitest";
import { priceLines } from "./prices";

it("works the multiplier into every price, exactly", () => {
  const prices = { input: "0.1", per_image: "0.001", tiers: [] };
  expect(priceLines({ prices, multiplier: "1.5" })).toEqual([
    { kind: "input", usd: "0.15", isPerMillion: true },
    { kind: "per_image", usd: "0.0015", isPerMillion: false },
  ]);
});

it("has no line where there is no price", () => {
  expect(priceLines({ prices: null, multiplier: "1" })).toEqual([]);
});
