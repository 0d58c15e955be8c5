import { expect, test } from "vitest";
import type { User } from "./api";
import { isBudget, isRate, limitChange, limitsOf } from "./limits";

const USER = { id: 7, rpm: 60, tpm: null, budget_daily_usd: "1.5" } as User;

test("an untouched form changes nothing, an emptied field ends the limit", () => {
  expect(limitChange(USER, limitsOf(USER))).toEqual({ id: 7 });
  expect(
    limitChange(USER, { ...limitsOf(USER), rpm: "", tpm: "1000", budget_total_usd: "20" }),
  ).toEqual({ id: 7, rpm: null, tpm: 1000, budget_total_usd: "20" });
});

test("rates are whole numbers above zero, budgets are dollars from zero on", () => {
  expect(["", "1", "60000"].every(isRate)).toBe(true);
  expect(["0", "-1", "1.5", "x"].some(isRate)).toBe(false);
  expect(["", "0", "0.50"].every(isBudget)).toBe(true);
  expect(["-1", "x", "0.000001"].some(isBudget)).toBe(false);
});
