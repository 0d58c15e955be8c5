import { describe, expect, it } from "vitest";
import { rangeOf, stepsOf } from "./range";

const now = Date.parse("2026-11-15T10:30:30Z");

describe("rangeOf", () => {
  it("counts back from now", () => {
    expect(rangeOf({ range: "1h" }, now)).toEqual({
      from: "2026-11-15T09:30:30.000Z",
      to: "2026-11-15T10:30:30.000Z",
      step_s: 120,
    });
  });

  it("takes a chosen range, and the usual one where that is unreadable", () => {
    const custom = { range: "custom", from: "2026-11-01T00:00:00Z", to: "2026-11-11T00:00:00Z" };
    expect(rangeOf(custom as never, now)).toMatchObject({ step_s: 21_600 });
    expect(rangeOf({ range: "custom", from: "x" }, now)).toEqual(rangeOf({}, now));
  });
});

describe("stepsOf", () => {
  it("names every step from the one that the range begins in", () => {
    const steps = stepsOf({ from: "2026-11-15T09:59:00Z", to: "2026-11-15T10:01:30Z", step_s: 60 });
    expect(steps.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual([
      "09:59",
      "10:00",
      "10:01",
    ]);
  });
});
