// Writes the English texts into index.html, so that the home page is whole with scripts off and
// the wording still lives in one place (src/i18n/home/en.json). Translations happen in the browser.

import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const EMPTY_ELEMENT = /data-text="([^"]+)"([^>]*)>(?=<\/)/g;
const LABELLED = /data-label="([^"]+)"/g;

/** Fills every `data-text` element and gives every `data-label` element its `aria-label`. */
export function fillTexts(html: string, texts: Readonly<Record<string, string>>): string {
  const text = (key: string): string => {
    const found = texts[key];
    if (found === undefined) {
      throw new Error(`index.html names the text "${key}", which src/i18n/home/en.json lacks`);
    }
    return escapeHtml(found);
  };
  return html
    .replace(EMPTY_ELEMENT, (_, key, rest) => `data-text="${key}"${rest}>${text(key)}`)
    .replace(LABELLED, (_, key) => `data-label="${key}" aria-label="${text(key)}"`);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The Vite plugin around {@link fillTexts}. */
export function homeTexts(): Plugin {
  const source = new URL("../src/i18n/home/en.json", import.meta.url);
  return {
    name: "modelgate:home-texts",
    transformIndexHtml: {
      order: "pre",
      handler: (html) => fillTexts(html, JSON.parse(readFileSync(source, "utf8"))),
    },
  };
}
