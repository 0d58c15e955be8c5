import type { TFunction } from "i18next";
import { describe, expect, it } from "vitest";
import { componentText } from "./componentText";

const t = ((key: string, values?: Record<string, string>) =>
  values === undefined ? key : `${key} ${Object.values(values).join(" ")}`) as TFunction;

describe("componentText", () => {
  it.each([
    ["input", "models.rate.input"],
    ["tiers/200000/output", "compare.above models.rate.output 200,000"],
    ["images/1024x1024/high", "compare.image 1024x1024 high"],
    ["hosted_tools/web/search", "compare.tool web/search"],
    ["something_new", "something_new"],
  ])("names %j", (component, text) => {
    expect(componentText(t, "en", component)).toBe(text);
  });
});
