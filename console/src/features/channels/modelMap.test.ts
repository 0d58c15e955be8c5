import { expect, it } from "vitest";
import { aliasOf } from "@/lib/servedModels";
import { readModels, writeModels } from "./modelMap";

it("reads and writes renamed models without loss", () => {
  const entries = ["fast=vendor/model-1", "plain", "eq=a=b"];
  const models = readModels(entries);
  expect(models).toEqual([
    { alias: "fast", upstream: "vendor/model-1" },
    { alias: "plain", upstream: "plain" },
    { alias: "eq", upstream: "a=b" },
  ]);
  expect(writeModels(models)).toEqual(entries);
});

it("keeps several names of one model", () => {
  const models = readModels(["a=x", "x", "b=x"]);
  expect(models).toEqual([{ alias: "a, x, b", upstream: "x" }]);
  expect(writeModels(models)).toEqual(["a=x", "x", "b=x"]);
});

it("takes the upstream's names from the map beside the list", () => {
  expect(readModels(["a"], { a: "x" })).toEqual([{ alias: "a", upstream: "x" }]);
});

it("finds the name that clients ask for", () => {
  expect(aliasOf("fast=vendor/x")).toBe("fast");
  expect(aliasOf("plain")).toBe("plain");
});
