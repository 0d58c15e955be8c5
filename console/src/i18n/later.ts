// Texts of dialogs that few people open (`<feature>.later.json`): not part of what every page fetches.

import type { i18n } from "i18next";

async function loadTexts(language: string): Promise<Record<string, string>> {
  switch (language) {
    case "zh-CN":
      return (await import("./console/zh-CN.later")).default;
    default:
      return (await import("./console/en.later")).default;
  }
}

/** Adds them to the language in use; resolves to that language. */
export async function addLaterTexts(instance: i18n, language: string): Promise<string> {
  instance.addResourceBundle(language, "translation", await loadTexts(language), true, true);
  return language;
}
