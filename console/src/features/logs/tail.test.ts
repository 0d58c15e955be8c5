import { describe, expect, it } from "vitest";
import type { Call } from "./api";
import { arrive, EMPTY_TAIL, MOST_SHOWN, release } from "./tail";

const call = (number: number) =>
  ({
    request_id: `r${number}`,
    created_at: new Date(number * 1_000).toISOString(),
  }) as Call;
const ids = (calls: readonly Call[]) => calls.map(({ request_id }) => request_id);

describe("the live tail", () => {
  it("shows the newest first and nothing twice", () => {
    const once = arrive(EMPTY_TAIL, [call(1), call(2)], false);
    const twice = arrive(once, [call(2), call(3), call(3)], false);
    expect(ids(twice.shown)).toEqual(["r3", "r2", "r1"]);
    expect(arrive(twice, [call(1)], false)).toBe(twice);
  });

  it("loses none that came while it was paused, however many", () => {
    const many = Array.from({ length: MOST_SHOWN + 200 }, (_, index) => call(index + 10));
    const before = arrive(EMPTY_TAIL, [call(1)], false);
    const paused = arrive(before, many, true);
    expect(ids(paused.shown)).toEqual(["r1"]);
    const resumed = release(paused);
    expect(new Set(ids(resumed.shown))).toEqual(new Set(ids(many)));
    expect(resumed.waiting).toEqual([]);
  });

  it("keeps a bounded number in view while it runs", () => {
    const many = Array.from({ length: MOST_SHOWN + 5 }, (_, index) => call(index));
    expect(arrive(EMPTY_TAIL, many, false).shown).toHaveLength(MOST_SHOWN);
  });
});
