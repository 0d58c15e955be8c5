import { describe, expect, it } from "vitest";
import { readReadiness } from "./readiness";

describe("readReadiness", () => {
  it.each([
    ["ready", "ready"],
    ["stopping", "stopping"],
    ["database unreachable", "databaseUnreachable"],
    ["database too slow", "databaseSlow"],
    ["a reason of a newer gateway", "notReady"],
    ["toString", "notReady"],
  ])("reads %j as %s", (status, expected) => {
    expect(readReadiness({ status })).toBe(expected);
  });

  it.each([null, "ready", [], {}, { status: 1 }])("refuses %j", (body) => {
    expect(() => readReadiness(body)).toThrow();
  });
});
