import { expect, it } from "vitest";
import { factLines } from "./facts";

it("tells every fact in a line, in the order of the gateway", () => {
  expect(factLines({ reason: "503", models: ["a", "b"], percent: 41.5, left: { x: 1 } })).toEqual([
    { name: "reason", text: "503" },
    { name: "models", text: "a, b" },
    { name: "percent", text: "41.5" },
    { name: "left", text: '{"x":1}' },
  ]);
});

it("counts keys from 1", () => {
  expect(factLines({ keys: [0, 2] })).toEqual([{ name: "keys", text: "1, 3" }]);
});

it("leaves out what says nothing and shortens long lists", () => {
  const many = Array.from({ length: 23 }, (_, index) => index);
  const [line, ...others] = factLines({ many, none: [], empty: null });
  expect(line?.text).toMatch(/^0, 1, .*19 \(\+3\)$/);
  expect(others).toEqual([]);
});
