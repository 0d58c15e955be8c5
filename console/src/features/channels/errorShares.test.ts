import { expect, it } from "vitest";
import { errorShares } from "./errorShares";

it("adds tries up in stretches, and leaves gaps where there were none", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");
  const row = (at: string, attempts: number, failures: number, channel_id = 1) => ({
    at: `2026-01-01T${at}Z`,
    channel_id,
    attempts,
    failures,
  });
  const shares = errorShares(
    [
      row("11:59:00", 3, 0),
      row("11:58:00", 1, 1),
      row("11:00:30", 2, 1),
      row("11:59:00", 9, 9, 2),
      row("10:00:00", 5, 5),
    ],
    1,
    now,
  );
  expect(shares).toHaveLength(20);
  expect(shares.at(-1)).toBe(0.25);
  expect(shares[0]).toBe(0.5);
  expect(shares.filter((share) => share === null)).toHaveLength(18);
});
