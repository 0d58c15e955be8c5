import { afterEach, expect, it, vi } from "vitest";
import * as api from "./api";
import { preview, runBulk } from "./bulk";

const channel = (id: number, patch: Partial<api.Channel> = {}) =>
  ({
    id,
    name: `channel ${id}`,
    state: "on",
    tags: ["a"],
    priority: 0,
    weight: 1,
    models: ["m1", "fast=m2"],
    is_declared: false,
    ...patch,
  }) as api.Channel;

afterEach(() => vi.restoreAllMocks());

it("shows what each channel would become, and who stays out", () => {
  const channels = [channel(1), channel(2, { tags: [] }), channel(3, { is_declared: true })];
  const effects = preview(channels, { kind: "tag", tag: "b" });
  expect(effects.map(({ before, after, skipped }) => [before, after, skipped])).toEqual([
    ["a", "a, b", undefined],
    ["", "b", undefined],
    ["a", "a, b", "declared"],
  ]);
  expect(preview([channel(1)], { kind: "untag", tag: "z" })[0]?.skipped).toBe("same");
  expect(
    preview([channel(3, { is_declared: true })], { kind: "drain" })[0]?.skipped,
  ).toBeUndefined();
});

it("adds models that are not there and removes renamed ones by their name", () => {
  const [added] = preview([channel(1)], { kind: "add_models", models: ["m3", "fast=other"] });
  expect(added?.after).toBe("m1, fast=m2, m3");
  const [removed] = preview([channel(1)], { kind: "remove_models", models: ["fast"] });
  expect(removed?.after).toBe("m1");
});

it("stops between two chunks when asked to", async () => {
  const act = vi.spyOn(api, "actOnMany").mockResolvedValue({ count: 10, task_id: null });
  const stop = new AbortController();
  const channels = Array.from({ length: 25 }, (_, index) => channel(index, { state: "off" }));
  const effects = preview(channels, { kind: "enable" });
  const result = await runBulk(
    effects,
    { kind: "enable" },
    ({ done }) => done === 10 && stop.abort(),
    stop.signal,
  );
  expect(result).toEqual({ done: 10, total: 25 });
  expect(act).toHaveBeenCalledTimes(1);
});
