import { expect, it } from "vitest";
import type { Channel } from "./api";
import { batchOf, preview } from "./bulk";

const channel = (id: number, patch: Partial<Channel> = {}) =>
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
  }) as Channel;

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

it("sends the act for those that it changes", () => {
  const channels = [channel(1, { state: "off" }), channel(2), channel(3, { state: "draining" })];
  const effects = preview(channels, { kind: "enable" });
  expect(batchOf(effects, { kind: "enable" })).toEqual({ ids: [1, 3], action: "enable" });
  const added = preview([channel(1)], { kind: "add_models", models: ["m3"] });
  expect(batchOf(added, { kind: "add_models", models: ["m3"] })).toEqual({
    ids: [1],
    action: "add_models",
    models: ["m3"],
  });
});
