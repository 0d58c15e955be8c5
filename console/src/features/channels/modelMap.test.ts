import { expect, it } from "vitest";
import { aliasOf, covers, entryFor, isPattern, upstreamFor } from "@/lib/servedModels";
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

it("keeps patterns and their upstream's names", () => {
  const entries = ["openai/*=*", "gpt-*", "claude-*=one"];
  expect(writeModels(readModels(entries))).toEqual(entries);
});

it("knows patterns by one star at the end", () => {
  expect(["*", "gpt-*", "a*b", "a**", "plain"].filter(isPattern)).toEqual(["*", "gpt-*"]);
  expect(covers("gpt-4*", "gpt-4")).toBe(true);
  expect(covers("gpt-4*", "gpt-3")).toBe(false);
});

it("finds the entry of a model: its own, else the longest pattern", () => {
  const entries = ["*", "a/*=x/*", "a/b=y", "a/bc*=*"];
  expect(entryFor(entries, "a/b")).toBe("a/b=y");
  expect(entryFor(entries, "a/c")).toBe("a/*=x/*");
  expect(entryFor(entries, "a/bcd")).toBe("a/bc*=*");
  expect(entryFor(["b"], "a")).toBeUndefined();
  const sent = ["a/b", "a/c", "a/bcd", "z"].map((model) =>
    upstreamFor(entryFor(entries, model) ?? "", model),
  );
  expect(sent).toEqual(["y", "x/c", "d", "z"]);
  expect(upstreamFor("m/*", "m/1", { "m/*": "*" })).toBe("1");
});
