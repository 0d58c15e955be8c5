import { describe, expect, it, vi } from "vitest";
import { currentLanguage, matchLanguage, storeLanguage } from "./languages";

function browserPrefers(...languages: string[]): void {
  vi.stubGlobal("navigator", { languages });
}

describe("matchLanguage", () => {
  it.each([
    ["en", "en"],
    ["en-GB", "en"],
    ["zh-CN", "zh-CN"],
    ["ZH-cn", "zh-CN"],
    ["zh", "zh-CN"],
    ["fr", undefined],
    ["", undefined],
  ])("matches %j to %j", (tag, expected) => {
    expect(matchLanguage(tag)).toBe(expected);
  });
});

describe("currentLanguage", () => {
  it("is the first shipped language of the browser's list", () => {
    browserPrefers("fr-CA", "zh-Hans", "en");
    expect(currentLanguage()).toBe("zh-CN");
  });

  it("is the stored choice before the browser's", () => {
    browserPrefers("zh-CN");
    storeLanguage("en");
    expect(currentLanguage()).toBe("en");
  });

  it("ignores a stored language that is not shipped", () => {
    browserPrefers("zh-CN");
    localStorage.setItem("modelgate-language", "tlh");
    expect(currentLanguage()).toBe("zh-CN");
  });

  it("is English where nothing matches", () => {
    browserPrefers("fr");
    expect(currentLanguage()).toBe("en");
  });
});
