import { describe, expect, it } from "vitest";
import { byHour, change, daysLeft, errorShare } from "./figures";

describe("figures", () => {
  it("leaves a share unknown where there is nothing to share", () => {
    expect(errorShare({ errors: 0, requests: 0 })).toBeNull();
    expect(errorShare({ errors: 1, requests: 4 })).toBe(0.25);
  });

  it("leaves a change unknown where there was nothing before", () => {
    expect(change(5, 0)).toBeNull();
    expect(change(3, 2)).toBe(0.5);
  });

  it("counts the days that a balance lasts, exactly", () => {
    expect(daysLeft("10", "7")).toBe(10);
    expect(daysLeft("10", "0")).toBeNull();
    expect(daysLeft("-1", "7")).toBeNull();
  });

  it("has a value for every hour of the day", () => {
    const sums = { requests: 3 } as never;
    const points = [{ at: "2026-01-02T10:00:00Z", sums }];
    const hours = byHour(points, "2026-01-02T11:00:00Z", () => 3, 0);
    expect(hours).toHaveLength(24);
    expect(hours.at(-1)).toBe(3);
    expect(hours[0]).toBe(0);
    expect(byHour([], "2026-01-02T11:00:00Z", () => 3, null)[0]).toBeNull();
  });
});
