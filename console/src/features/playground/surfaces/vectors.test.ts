import { expect, it } from "vitest";
import { cosine, vectorsOf } from "./vectors";

it("vectors come in the order of the inputs", () => {
  const data = [
    { index: 1, embedding: [3] },
    { index: 0, embedding: [1, 2] },
  ];
  expect(vectorsOf({ data })).toEqual([[1, 2], [3]]);
  expect(vectorsOf(undefined)).toEqual([]);
});

it("the cosine does not depend on length", () => {
  expect(cosine([1, 0], [5, 0])).toBe(1);
  expect(cosine([1, 0], [0, 2])).toBe(0);
  expect(cosine([0], [0])).toBe(0);
});
