import { describe, expect, it } from "vitest";
import { neighbour, priorityOf, shareOf, tiersOf } from "./tiers";

const channel = (id: number, priority: number, weight = 1, state = "on") => ({
  id,
  priority,
  weight,
  state,
});

describe("tiers", () => {
  const tiers = tiersOf([
    channel(3, 0),
    channel(1, 10, 3),
    channel(2, 10),
    channel(4, 0, 1, "off"),
  ]);

  it("stand highest first, by id inside", () => {
    expect(tiers.map(({ priority, channels }) => [priority, channels.map(({ id }) => id)])).toEqual(
      [
        [10, [1, 2]],
        [0, [3, 4]],
      ],
    );
  });

  it("share by weight among those that are on", () => {
    const [first, second] = tiers;
    expect(first && shareOf(channel(1, 10, 3), first)).toBe(0.75);
    expect(second && shareOf(channel(3, 0), second)).toBe(1);
    expect(second && shareOf(channel(4, 0, 1, "off"), second)).toBeUndefined();
  });

  it("share evenly where every weight is 0", () => {
    const [tier] = tiersOf([channel(1, 0, 0), channel(2, 0, 0)]);
    expect(tier && shareOf(channel(1, 0, 0), tier)).toBe(0.5);
  });

  it("make room at both ends", () => {
    expect(priorityOf("above", tiers)).toBe(20);
    expect(priorityOf("below", tiers)).toBe(-10);
    expect(neighbour(channel(1, 10), tiers, "up")).toBe("above");
    expect(neighbour(channel(1, 10), tiers, "down")).toBe(0);
    expect(neighbour(channel(3, 0), tiers, "down")).toBe("below");
  });

  it("do not move a channel that is alone at the end", () => {
    const alone = tiersOf([channel(1, 10), channel(2, 0)]);
    expect(neighbour(channel(1, 10), alone, "up")).toBeUndefined();
    expect(neighbour(channel(2, 0), alone, "down")).toBeUndefined();
  });
});
