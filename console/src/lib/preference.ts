// Small choices kept in this browser. Storage may be switched off: then a choice lasts for the page.

/** The stored text, or null where there is none or storage is refused. */
export function readPreference(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores the text where the browser allows it. */
export function storePreference(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The visitor forbade storage: the choice still holds until the page is left.
  }
}
