import { describe, expect, it } from "vitest";
import { EMPTY_KEY, inputOf, isAmount, wrongNetworkLine } from "./keyForm";

describe("inputOf", () => {
  it("sends what is empty as no limit", () => {
    const input = inputOf({ ...EMPTY_KEY, name: " app " });
    expect(input).toMatchObject({ name: "app", budget_total_usd: null, rpm: null, models: [] });
    expect(input.expires_at).toBeNull();
  });

  it("keeps amounts as they were typed", () => {
    const input = inputOf({ ...EMPTY_KEY, name: "a", budget_daily_usd: "0.000000001", rpm: 60 });
    expect(input).toMatchObject({ budget_daily_usd: "0.000000001", rpm: 60 });
  });

  it("counts days from now", () => {
    const now = Date.parse("2026-11-15T10:00:00Z");
    expect(inputOf({ ...EMPTY_KEY, name: "a", expiry: "7d" }, now).expires_at).toBe(
      "2026-11-22T10:00:00.000Z",
    );
  });

  it("reads one network a line", () => {
    const input = inputOf({ ...EMPTY_KEY, name: "a", cidrs: "10.0.0.0/8\n\n ::1 \n" });
    expect(input.cidrs).toEqual(["10.0.0.0/8", "::1"]);
  });
});

describe("wrongNetworkLine", () => {
  it("names the line", () => {
    expect(wrongNetworkLine("10.0.0.0/8\n2001:db8::/32\n192.0.2.7")).toBeUndefined();
    expect(wrongNetworkLine("10.0.0.0/8\n\noffice")).toBe(3);
    expect(wrongNetworkLine("10.0.0.0/33")).toBe(1);
    expect(wrongNetworkLine("10.0.0.300")).toBe(1);
  });
});

describe("isAmount", () => {
  it("takes exact dollars or nothing", () => {
    expect(["", "1", "0.5", "0.000000001"].every(isAmount)).toBe(true);
    expect(["1e3", "-1", "1,5", "0.0000000001", "x"].some(isAmount)).toBe(false);
  });
});
