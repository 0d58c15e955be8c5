// i18next for the console: one language chunk fetched at a time, keys flat and typed.

import i18next, { type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import { currentLanguage, type Language, storeLanguage } from "./languages";

async function loadLanguage(language: Language): Promise<Record<string, string>> {
  switch (language) {
    case "zh-CN":
      return (await import("./console/zh-CN")).default;
    default:
      return (await import("./console/en")).default;
  }
}
/** Starts the translation layer in the visitor's language. */
export async function setUpTranslation(language: Language = currentLanguage()): Promise<i18n> {
  const instance = i18next.createInstance();
  await instance.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation: await loadLanguage(language) } },
    fallbackLng: false,
    keySeparator: false,
    nsSeparator: false,
    // React escapes what it draws.
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
  return instance;
}

/** Fetches the language if it is new, switches to it and remembers the choice. */
export async function changeLanguage(instance: i18n, language: Language): Promise<void> {
  if (!instance.hasResourceBundle(language, "translation")) {
    instance.addResourceBundle(language, "translation", await loadLanguage(language));
  }
  await instance.changeLanguage(language);
  document.documentElement.lang = language;
  storeLanguage(language);
}
