import { expect, test } from "vitest";
import { quotaOfUsd, usdOfQuota } from "./quota";

test("dollars become whole quota units and come back", () => {
  expect(quotaOfUsd("1.25")).toBe(625_000);
  expect(quotaOfUsd("-0.000002")).toBe(-1);
  expect(quotaOfUsd(" 10 ")).toBe(5_000_000);
  expect(usdOfQuota(625_000)).toBe("1.25");
  expect(usdOfQuota(-1)).toBe("-0.000002");
});

test("what is no amount or finer than a unit is refused, not rounded", () => {
  for (const text of ["", "abc", "1,5", "0.000001", "1e3", "--1", "1.0000000001", "9".repeat(20)]) {
    expect(quotaOfUsd(text), text).toBeUndefined();
  }
});
