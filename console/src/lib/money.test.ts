import { describe, expect, it } from "vitest";
import { formatUsd, nanosOf, sumUsd, usdOf } from "./money";

describe("nanosOf and usdOf", () => {
  it.each([
    ["0", 0n],
    ["1.25", 1_250_000_000n],
    ["-0.000000001", -1n],
    ["9007199254740993.000000001", 9_007_199_254_740_993_000_000_001n],
  ])("turns %s into whole nano-dollars and back", (usd, nanos) => {
    expect(nanosOf(usd)).toBe(nanos);
    expect(usdOf(nanos)).toBe(usd);
  });

  it("refuses what is no amount", () => {
    expect(() => nanosOf("1e3")).toThrow(TypeError);
  });

  it("adds up exactly", () => {
    expect(sumUsd(["0.1", "0.2", "-0.3"])).toBe("0");
    expect(sumUsd(["0.0000000375", "0.0000000005"])).toBe("0.000000038");
  });
});

describe("formatUsd", () => {
  it.each([
    ["0", "$0.00"],
    ["12.3456", "$12.35"],
    ["0.0001234", "$0.000123"],
    ["0.5", "$0.50"],
    ["-3", "-$3.00"],
  ])("shows %s as %s", (usd, shown) => {
    expect(formatUsd(usd, "en")).toBe(shown);
  });

  it("shows another currency at its rate", () => {
    expect(formatUsd("10", "en", { code: "EUR", rate: "0.925" })).toBe("€9.25");
  });
});
