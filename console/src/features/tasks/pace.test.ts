import { expect, it } from "vitest";
import { paceOf } from "./pace";

const task = (done: number, total: number | null) => ({
  done,
  total,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:10Z",
});

it("tells pace and time left from what was done", () => {
  expect(paceOf(task(50, 100))).toEqual({ perSecond: 5, secondsLeft: 10 });
  expect(paceOf(task(50, null))).toEqual({ perSecond: 5 });
});

it("says nothing before the first step", () => {
  expect(paceOf(task(0, 100))).toEqual({});
});
