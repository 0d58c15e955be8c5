import { expect, it } from "vitest";
import type { Channel } from "./api";
import { candidatesOf } from "./swap";

function channel(id: number, priority: number, models: string[], more: Partial<Channel> = {}) {
  return { id, priority, models, state: "on", is_declared: false, ...more } as Channel;
}

const FAILING = channel(1, 10, ["a", "b=upstream-b"], { state: "paused" });

it("offers channels of other tiers that list some of its models", () => {
  const all = [
    FAILING,
    channel(2, 10, ["a"]),
    channel(3, 5, ["c"]),
    channel(4, 5, ["b"]),
    channel(5, 5, ["a", "b"], { is_declared: true }),
  ];
  const found = candidatesOf(FAILING, all).map((each) => [each.channel.id, each.shared]);
  expect(found).toEqual([[4, 1]]);
});

it("puts working channels first, then those that share most", () => {
  const all = [
    channel(2, 5, ["a", "b"], { state: "off" }),
    channel(3, 5, ["a"]),
    channel(4, 0, ["a", "b"]),
  ];
  expect(candidatesOf(FAILING, all).map((each) => each.channel.id)).toEqual([4, 3, 2]);
});

it("counts models that are served by a pattern, on either side", () => {
  const all = [channel(2, 5, ["*"]), channel(3, 5, ["b*=x*"]), channel(4, 5, ["c"])];
  expect(candidatesOf(FAILING, all).map((each) => [each.channel.id, each.shared])).toEqual([
    [2, 2],
    [3, 1],
  ]);
  const wide = channel(1, 10, ["gpt-*"]);
  const named = [channel(2, 5, ["gpt-4o"]), channel(3, 5, ["other"])];
  expect(candidatesOf(wide, named).map((each) => each.channel.id)).toEqual([2]);
});
