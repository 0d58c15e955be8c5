import { describe, expect, it } from "vitest";
import { fullness, keyState } from "./keyState";

const key = { status: 1, expires_at: null, budget_total_usd: null, used_quota_usd: "3" };

describe("keyState", () => {
  it("names what stands in the way, the owner's own doing first", () => {
    const now = Date.parse("2026-11-15T00:00:00Z");
    expect(keyState(key, now)).toBe("working");
    expect(keyState({ ...key, expires_at: "2026-11-15T00:00:00Z" }, now)).toBe("expired");
    expect(keyState({ ...key, expires_at: "2026-11-15T00:00:01Z" }, now)).toBe("working");
    expect(keyState({ ...key, budget_total_usd: "3.000000001" }, now)).toBe("working");
    expect(keyState({ ...key, budget_total_usd: "3" }, now)).toBe("spent");
    expect(keyState({ ...key, status: 2, budget_total_usd: "3" }, now)).toBe("paused");
  });
});

describe("fullness", () => {
  it("is exact below the limit and full at it", () => {
    expect(fullness("0.999999999", "1")).toBe(99);
    expect(fullness("1", "1")).toBe(100);
    expect(fullness("0", "0")).toBe(100);
    expect(fullness("0.5", "2")).toBe(25);
  });
});
