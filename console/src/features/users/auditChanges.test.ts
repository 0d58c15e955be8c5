import { expect, test } from "vitest";
import { fieldChanges } from "./auditChanges";

test("each field is a line, what is absent is a dash", () => {
  expect(
    fieldChanges({
      quota: { from: 1, to: 2 },
      email: { from: null, to: "a@b.c" },
      x: { to: true },
    }),
  ).toEqual([
    { field: "quota", from: "1", to: "2" },
    { field: "email", from: "—", to: "a@b.c" },
    { field: "x", from: "—", to: "true" },
  ]);
  expect(fieldChanges(null)).toEqual([]);
});
