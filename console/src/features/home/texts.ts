// The home page's texts in the visitor's language. i18next would be half of the page's size budget,
// and the page has neither plurals nor inserted values: a lookup is enough.

import english from "@/i18n/home/en.json";
import type { Language } from "@/i18n/languages";

export type Texts = Readonly<Record<keyof typeof english, string>>;

/** What the page says before, and without, any script. */
export const ENGLISH: Texts = english;

/** English is in the page already; another language is fetched on its own. */
export async function loadTexts(language: Language): Promise<Texts> {
  switch (language) {
    case "zh-CN":
      return (await import("@/i18n/home/zh-CN.json")).default;
    default:
      return ENGLISH;
  }
}

/** Writes the texts into every element that names one. */
export function applyTexts(root: ParentNode, texts: Texts): void {
  for (const element of root.querySelectorAll<HTMLElement>("[data-text]")) {
    element.textContent = textFor(texts, element.dataset.text);
  }
  for (const element of root.querySelectorAll<HTMLElement>("[data-label]")) {
    element.setAttribute("aria-label", textFor(texts, element.dataset.label));
  }
}

function textFor(texts: Texts, key: string | undefined): string {
  if (key === undefined || !(key in texts)) {
    throw new Error(`The home page names an unknown text: ${key}`);
  }
  return texts[key as keyof Texts];
}
