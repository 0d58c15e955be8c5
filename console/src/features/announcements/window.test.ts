import { expect, it } from "vitest";
import { localField, momentOf, phaseOf } from "./window";

it("writes a moment into a field and reads it back", () => {
  const at = new Date(2026, 0, 31, 9, 5).toISOString();
  expect(localField(at)).toBe("2026-01-31T09:05");
  expect(momentOf(localField(at))).toBe(at);
  expect(localField(null)).toBe("");
  expect(momentOf("")).toBeNull();
});

it("tells coming, shown and past apart", () => {
  const now = Date.parse("2026-01-02T00:00:00Z");
  const window = (starts_at: string, ends_at: string | null) => ({ starts_at, ends_at });
  expect(phaseOf(window("2026-01-03T00:00:00Z", null), now)).toBe("coming");
  expect(phaseOf(window("2026-01-01T00:00:00Z", null), now)).toBe("shown");
  expect(phaseOf(window("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"), now)).toBe("past");
});
