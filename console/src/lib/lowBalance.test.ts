import { expect, it } from "vitest";
import { isBalanceLow, lowBalanceThreshold, storeLowBalanceThreshold } from "./lowBalance";

it.each([
  ["4.99", "5", true],
  ["5", "5", false],
  ["0", "", true],
  ["-0.000000001", "", true],
  ["0.01", "", false],
])("a balance of %s with the threshold %j is low: %s", (balance, threshold, isLow) => {
  expect(isBalanceLow(balance, threshold)).toBe(isLow);
});

it("is kept for each account", () => {
  storeLowBalanceThreshold(1, "5");
  expect(lowBalanceThreshold(1)).toBe("5");
  expect(lowBalanceThreshold(2)).toBe("");
});
