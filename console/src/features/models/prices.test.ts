import { expect, it } from "vitest";
import { isDecimal, multiply, RATES, type Rate, rateOf, withRates } from "./prices";

it("multiplies decimal texts exactly", () => {
  expect(multiply("0.1", "0.2")).toBe("0.02");
  expect(multiply("2.50", "1")).toBe("2.5");
  expect(multiply("3", "1.15")).toBe("3.45");
  expect(multiply("0.000001", "1.5")).toBe("0.0000015");
  expect(multiply("15", "0")).toBe("0");
});

it("keeps what is no simple rate", () => {
  const none = Object.fromEntries(RATES.map((rate) => [rate, ""])) as Record<Rate, string>;
  const before = { input: "1", tiers: [{ from: 200 }] };
  expect(withRates(before, { ...none, output: "2" })).toEqual({
    output: "2",
    tiers: [{ from: 200 }],
  });
  expect(rateOf(before, "input")).toBe("1");
  expect(rateOf(null, "input")).toBeUndefined();
});

it("takes plain decimals only", () => {
  expect(["1", "0.5", "12.25"].every(isDecimal)).toBe(true);
  expect(["", "-1", "1e3", "1,5", ".5"].some(isDecimal)).toBe(false);
});
