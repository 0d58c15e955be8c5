import { expect, it } from "vitest";
import { warningsOf } from "./warnings";

const covered = (
  model: string,
  group: string,
  channels: number,
  healthy: number,
  has_price = true,
) => ({
  model,
  group,
  channels,
  healthy,
  on_trial: model === "back" ? 1 : 0,
  has_price,
});

it("warns of the worst first, once a model", () => {
  const warnings = warningsOf([
    covered("one", "default", 1, 1),
    covered("one", "vip", 1, 1),
    covered("dead", "default", 2, 0),
    covered("back", "default", 2, 0),
    covered("free", "default", 2, 2, false),
    covered("fine", "default", 2, 1),
  ]);
  expect(warnings).toEqual([
    { kind: "none_healthy", model: "dead", groups: ["default"] },
    { kind: "on_trial", model: "back", groups: ["default"] },
    { kind: "no_price", model: "free", groups: ["default"] },
    { kind: "one_channel", model: "one", groups: ["default", "vip"] },
  ]);
});
