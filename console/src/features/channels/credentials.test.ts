import { expect, it } from "vitest";
import { composeKey, missingFields, spreadKey } from "./credentials";

const ONE = [{ name: "api_key", required: true }];
const OPENAI = [
  { name: "api_key", required: false },
  { name: "organization", required: false },
];
const VERTEX = [
  { name: "project_id", required: true },
  { name: "private_key", required: true },
  { name: "location", required: false },
];

it("sends a single field as it is and several as an object", () => {
  expect(composeKey(ONE, { api_key: " sk-1 " })).toBe("sk-1");
  expect(composeKey(OPENAI, { api_key: "sk-1" })).toBe("sk-1");
  expect(composeKey(OPENAI, { api_key: "sk-1", organization: "org" })).toBe(
    '{"api_key":"sk-1","organization":"org"}',
  );
  expect(composeKey(OPENAI, {})).toBe("");
});

it("names what is still missing", () => {
  expect(missingFields(VERTEX, { project_id: "p" })).toEqual(["private_key"]);
});

it("spreads a service account's file over its fields", () => {
  const file = '{"type":"service_account","project_id":"p","private_key":"k"}';
  expect(spreadKey(VERTEX, file)).toEqual({ project_id: "p", private_key: "k" });
  expect(spreadKey(OPENAI, "sk-1")).toEqual({ api_key: "sk-1" });
});
