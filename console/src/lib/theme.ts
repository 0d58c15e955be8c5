// The theme that a visitor chose, shared by the home page and the console through local storage.

/** Same key and values as the component library's own store, so both pages agree. */
export const THEME_KEY = "modelgate-theme";

/** `auto` follows the operating system. */
export type Theme = "light" | "dark" | "auto";

export const THEMES: readonly Theme[] = ["auto", "light", "dark"];

/** Narrows stored or selected text; anything unknown follows the system. */
export function toTheme(value: string | null): Theme {
  return THEMES.find((theme) => theme === value) ?? "auto";
}
