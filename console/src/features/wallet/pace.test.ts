import { expect, test } from "vitest";
import { daysCounted, paceOf } from "./pace";

test("a balance lasts as many whole days as the mean spending fits into it", () => {
  expect(paceOf("7", 7, "10.99")).toEqual({ perDayUsd: "1", daysLeft: 10 });
  expect(paceOf("0.000000007", 7, "100")).toEqual({
    perDayUsd: "0.000000001",
    daysLeft: 100_000_000_000,
  });
});

test("nothing spent says nothing about how long it lasts; nothing left lasts no day", () => {
  expect(paceOf("0", 7, "5").daysLeft).toBeUndefined();
  expect(paceOf("7", 7, "-1").daysLeft).toBe(0);
});

test("a young account is measured by its own days", () => {
  const now = Date.parse("2026-01-10T12:00:00Z");
  expect(daysCounted("2026-01-10T11:00:00Z", now, 7)).toBe(1);
  expect(daysCounted("2026-01-08T11:00:00Z", now, 7)).toBe(3);
  expect(daysCounted("2025-01-08T11:00:00Z", now, 7)).toBe(7);
});
