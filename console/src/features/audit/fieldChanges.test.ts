import { expect, it } from "vitest";
import { fieldChanges } from "./fieldChanges";

it("reads each field before and after", () => {
  const changes = { name: { from: "a", to: "b" }, tags: { to: ["x"] }, count: 3 };
  expect(fieldChanges(changes)).toEqual([
    { field: "name", from: "a", to: "b" },
    { field: "tags", from: undefined, to: '["x"]' },
    { field: "count", from: undefined, to: "3" },
  ]);
  expect(fieldChanges(null)).toEqual([]);
});
