import { describe, expect, it } from "vitest";
import { compareLanguages, unknownTexts, unusedKeys } from "./translations.js";

describe("compareLanguages", () => {
  const english = { a: "Hello {{name}}", keys_one: "{{count}} key", keys_other: "{{count}} keys" };

  it("accepts a whole translation with that language's own plural forms", () => {
    const chinese = { a: "你好 {{name}}", keys_other: "{{count}} 个密钥" };
    expect(compareLanguages(english, new Map([["zh-CN", chinese]]))).toEqual([]);
  });

  it("finds missing, empty, extra and differing texts", () => {
    const broken = { a: "Hallo {{nme}}", keys_one: "", b: "extra", keys_other: "{{count}}" };
    expect(compareLanguages(english, new Map([["de", broken]]))).toEqual([
      'de lacks "keys_one"',
      'de has "b", which en does not have',
      'de inserts other values into "a" than en',
      'de inserts other values into "keys_one" than en',
    ]);
  });
});

describe("unusedKeys", () => {
  it("finds keys that the source never names", () => {
    const english = { used: "", keys_one: "", keys_other: "", looked: "", idle: "" };
    const source = 't("used"); t("keys", { count }); texts.looked;';
    expect(unusedKeys(english, source)).toEqual(['"idle" is not used']);
  });
});

describe("unknownTexts", () => {
  it("finds names without a text, in HTML and in code", () => {
    const english = { known: "", keys_other: "" };
    const source = '<p data-text="known"></p><p data-label="lost"></p> t("gone") t("keys")';
    expect(unknownTexts(english, source)).toEqual([
      '"lost" is used and does not exist',
      '"gone" is used and does not exist',
    ]);
  });
});
