// The languages that are shipped, and which of them a visitor gets. No texts and no i18next in here:
// the home page uses this file too.

import { readPreference, storePreference } from "@/lib/preference";

export const LANGUAGES = [
  { code: "en", label: "English" },
  { code: "zh-CN", label: "简体中文" },
] as const;

export type Language = (typeof LANGUAGES)[number]["code"];

const LANGUAGE_KEY = "modelgate-language";
const FALLBACK: Language = "en";

/** Narrows any language tag to a shipped one: the exact tag first, then the same base language. */
export function matchLanguage(tag: string): Language | undefined {
  const wanted = tag.toLowerCase();
  const base = wanted.split("-", 1)[0];
  const codes = LANGUAGES.map((language) => language.code);
  return (
    codes.find((code) => code.toLowerCase() === wanted) ??
    codes.find((code) => code.toLowerCase().split("-", 1)[0] === base)
  );
}

/** The stored choice, else the first of the browser's languages that is shipped, else English. */
export function currentLanguage(): Language {
  const stored = readPreference(LANGUAGE_KEY);
  const wishes = stored === null ? navigator.languages : [stored, ...navigator.languages];
  for (const wish of wishes) {
    const match = matchLanguage(wish);
    if (match !== undefined) {
      return match;
    }
  }
  return FALLBACK;
}

/** Remembers the choice for both pages. */
export function storeLanguage(language: Language): void {
  storePreference(LANGUAGE_KEY, language);
}
