// Entry of the home page: preferences, copy buttons, status. Everything that a visitor needs is in
// the HTML already; this only adds what a page without scripts cannot do.

import { currentLanguage, type Language, matchLanguage, storeLanguage } from "@/i18n/languages";
import { copyText } from "@/lib/copyText";
import { readPreference, storePreference } from "@/lib/preference";
import { THEME_KEY, type Theme, toTheme } from "@/lib/theme";
import { addressWithStyle, restoreStyle } from "./clientStyle";
import { showInstallation } from "./installation";
import { askReadiness, READINESS_TEXT } from "./readiness";
import { applyTexts, ENGLISH, loadTexts, type Texts } from "./texts";

const FEEDBACK_MS = 2_000;
const STATUS_EVERY_MS = 15_000;

let texts: Texts = ENGLISH;

function element<E extends HTMLElement>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) {
    throw new Error(`The home page lacks ${selector}`);
  }
  return found;
}

function showTheme(theme: Theme): void {
  if (theme === "auto") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
}

function wireTheme(): void {
  const select = element<HTMLSelectElement>("#theme");
  select.value = toTheme(readPreference(THEME_KEY));
  select.addEventListener("change", () => {
    storePreference(THEME_KEY, select.value);
    showTheme(toTheme(select.value));
  });
}

async function showLanguage(language: Language): Promise<void> {
  texts = await loadTexts(language);
  document.documentElement.lang = language;
  applyTexts(document, texts);
}

function wireLanguage(language: Language): void {
  const select = element<HTMLSelectElement>("#language");
  select.value = language;
  select.addEventListener("change", () => {
    const chosen = matchLanguage(select.value);
    if (chosen !== undefined) {
      storeLanguage(chosen);
      void showLanguage(chosen);
    }
  });
}

function wireStyle(): void {
  const radios = document.querySelectorAll<HTMLInputElement>('input[name="style"]');
  restoreStyle(radios, location.search);
  for (const radio of radios) {
    radio.addEventListener("change", () => {
      history.replaceState(null, "", addressWithStyle(location.href, radio.value));
    });
  }
}

/** What the source shows: the value of a field, or the text of a sample. */
function shownText(source: HTMLElement): string {
  return source instanceof HTMLInputElement ? source.value : (source.textContent ?? "");
}

async function copyFrom(button: HTMLButtonElement): Promise<void> {
  const source = element(`#${button.dataset.copy}`);
  const isCopied = await copyText(shownText(source));
  if (!isCopied) {
    getSelection()?.selectAllChildren(source);
  }
  element("#announcement").textContent = isCopied ? texts.copiedAnnouncement : texts.copyFailed;
  button.textContent = isCopied ? texts.copied : texts.copyFailed;
  button.dataset.state = isCopied ? "copied" : "failed";
  setTimeout(() => {
    button.textContent = texts.copy;
    delete button.dataset.state;
    element("#announcement").textContent = "";
  }, FEEDBACK_MS);
}

function wireCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    button.addEventListener("click", () => void copyFrom(button));
  }
}

async function showReadiness(): Promise<void> {
  const readiness = await askReadiness();
  const status = element("#status");
  const label = element("#status [data-text]");
  const key = READINESS_TEXT[readiness];
  status.dataset.state = readiness;
  if (label.dataset.text !== key) {
    label.dataset.text = key;
    label.textContent = texts[key];
  }
}

function watchReadiness(): void {
  void showReadiness();
  setInterval(() => {
    if (!document.hidden) {
      void showReadiness();
    }
  }, STATUS_EVERY_MS);
}

showTheme(toTheme(readPreference(THEME_KEY)));
wireTheme();
wireStyle();
wireCopyButtons();
for (const control of document.querySelectorAll<HTMLElement>("[data-needs-script]")) {
  control.hidden = false;
}
const language = currentLanguage();
wireLanguage(language);
await showLanguage(language);
watchReadiness();
await showInstallation();
