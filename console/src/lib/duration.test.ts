import { describe, expect, it } from "vitest";
import { formatDuration } from "./duration";

describe("formatDuration", () => {
  it.each([
    [0, "0 sec"],
    [0.9, "0 sec"],
    [59, "59 sec"],
    [60, "1 min"],
    [3_725, "1 hr 2 min"],
    [86_400, "1 day"],
    [90_061, "1 day 1 hr"],
    [-5, "0 sec"],
  ])("writes %d seconds as %s", (seconds, text) => {
    expect(formatDuration(seconds, "en")).toBe(text);
  });

  it("follows the language", () => {
    expect(formatDuration(3_725, "zh-CN")).toBe("1小时 2分钟");
  });
});
