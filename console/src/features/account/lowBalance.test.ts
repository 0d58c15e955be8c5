import { expect, it } from "vitest";
import { isAmount, lowBalanceOf, lowBalanceUsd } from "./lowBalance";

it("carries every choice into the form and back", () => {
  for (const usd of [null, "0", "7.5"]) {
    expect(lowBalanceUsd(lowBalanceOf(usd))).toBe(usd);
  }
  expect(lowBalanceUsd({ choice: "own", amount: " 2.50 " })).toBe("2.50");
  expect(lowBalanceUsd({ choice: "never", amount: "3" })).toBe("0");
});

it("takes amounts above zero", () => {
  expect(["1", "0.001", " 2.50 "].every(isAmount)).toBe(true);
  expect(["", "0", "0.00", "-1", "1,5", "much", "1.0000000001"].some(isAmount)).toBe(false);
});
