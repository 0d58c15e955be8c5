import { expect, it } from "vitest";
import { cellKey, runOf } from "./matrix";

const task = (state: string, cells: unknown[], total = 4) =>
  ({ state, total, result: { cells } }) as unknown as Parameters<typeof runOf>[0];
const cell = (model: string, outcome: string) => ({
  channel_id: 7,
  model,
  outcome,
  detail: "x",
  took_ms: 5,
});

it("counts what was tried, and not what a channel does not serve", () => {
  const run = runOf(task("running", [cell("a", "passed"), cell("b", "skipped")]));
  expect(run).toMatchObject({ isRunning: true, done: 1, total: 3 });
  expect(run.results[cellKey({ channelId: 7, model: "a" })]?.outcome).toBe("passed");
});

it("is empty before the first cell", () => {
  const begun = { state: "running", total: 4, result: null } as Parameters<typeof runOf>[0];
  expect(runOf(begun)).toEqual({ isRunning: true, done: 0, total: 4, results: {} });
});
