import { expect, it } from "vitest";
import { fallbacksOf, type Listed } from "./fallbacks";

function channel(name: string, more: Partial<Listed> = {}): Listed {
  return {
    id: name.length,
    name,
    type: "openai",
    state: "on",
    is_declared: false,
    groups: [],
    models: [],
    model_mapping: {},
    ...more,
  };
}

const found = (channels: Listed[], group = "default") =>
  fallbacksOf("gpt-5", group, channels).map(({ channel: { name }, entry }) => [name, entry]);

it("offers channels that have the model under another name before those of the same provider", () => {
  const main = channel("main", { models: ["gpt-5=gpt-5-2025"] });
  const sibling = channel("sibling", { models: ["gpt-4"] });
  const renamed = channel("renamed", { type: "azure", models: ["fast=gpt-5-2025"] });
  const mapped = channel("mapped", {
    type: "other",
    models: ["quick"],
    model_mapping: { quick: "gpt-5" },
  });
  const stranger = channel("stranger", { type: "anthropic", models: ["claude"] });
  expect(found([main, sibling, renamed, mapped, stranger])).toEqual([
    ["renamed", "gpt-5=gpt-5-2025"],
    ["mapped", "gpt-5"],
    ["sibling", "gpt-5=gpt-5-2025"],
  ]);
});

it("leaves out what lists the model, takes no calls, is not for the group or comes from the file", () => {
  const main = channel("main", { models: ["gpt-5"] });
  const off = channel("off", { state: "off" });
  const declared = channel("declared", { is_declared: true });
  const partners = channel("partners", { groups: ["partners"] });
  expect(found([main, off, declared, partners])).toEqual([]);
  expect(found([main, partners], "partners")).toEqual([["partners", "gpt-5"]]);
});

it("offers nothing where nobody knows the model", () => {
  expect(found([channel("one", { models: ["gpt-4"] })])).toEqual([]);
});

it("knows what patterns serve", () => {
  const wide = channel("wide", { models: ["gpt-*"] });
  expect(found([channel("main", { models: ["gpt-5"] }), wide])).toEqual([]);
  const vendor = channel("vendor", { type: "other", models: ["vendor/*=*"] });
  expect(found([wide, vendor, channel("sibling")])).toEqual([
    ["vendor", "gpt-5"],
    ["sibling", "gpt-5"],
  ]);
});
