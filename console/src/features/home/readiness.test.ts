import { describe, expect, it } from "vitest";
import { answerWith } from "@/test/answers";
import { askReadiness } from "./readiness";

describe("askReadiness", () => {
  it.each([
    [200, "ready"],
    [503, "notReady"],
    [404, "unreachable"],
    [502, "unreachable"],
  ])("takes status %d as %s", async (status, expected) => {
    answerWith({ "/readyz": () => new Response("{}", { status }) });
    expect(await askReadiness()).toBe(expected);
  });

  it("takes a lost connection as unreachable", async () => {
    answerWith({});
    expect(await askReadiness()).toBe("unreachable");
  });
});
