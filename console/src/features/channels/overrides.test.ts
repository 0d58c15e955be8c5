import { expect, it } from "vitest";
import { changedBody, isJsonObject, readOverrides, writeOverrides } from "./overrides";

it("reads and writes overrides without loss, the unknown ones too", () => {
  const overrides = {
    headers: { "x-team": "research", "user-agent": null },
    drop_headers: ["openai-beta"],
    body: { service_tier: "flex" },
    drop_body: ["user"],
    tls_roots: "-----BEGIN",
    demo: { status: 503 },
    newer: [1],
  };
  const fields = readOverrides(overrides);
  expect(fields.headers).toBe("x-team: research\nuser-agent");
  expect(writeOverrides(fields, overrides)).toEqual(overrides);
});

it("sends nothing where nothing is overridden", () => {
  expect(writeOverrides(readOverrides(null))).toBeNull();
});

it("tells a JSON object from anything else", () => {
  expect(isJsonObject("")).toBe(true);
  expect(isJsonObject('{"a":1}')).toBe(true);
  expect(isJsonObject("[1]")).toBe(false);
  expect(isJsonObject("{")).toBe(false);
});

it("previews a body as the gateway changes it: fields are left out first, then set", () => {
  const request = { model: "m", user: "u", temperature: 1 };
  const body = '{"service_tier": "flex", "temperature": null, "user": "x"}';
  expect(changedBody(request, { body, drop_body: ["user"] })).toEqual({
    model: "m",
    service_tier: "flex",
    user: "x",
  });
  expect(changedBody(request, { body: "{", drop_body: [] })).toEqual(request);
});
