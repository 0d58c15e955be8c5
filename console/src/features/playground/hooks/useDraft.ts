// The message that is being written, kept in this browser until it is sent, one for each thread.

import { useState } from "react";
import { readPreference, storePreference } from "@/lib/preference";

export function useDraft(place: string): [string, (text: string) => void] {
  const key = `modelgate.playground.draft.${place}`;
  const [draft, setDraft] = useState(() => ({ key, text: readPreference(key) ?? "" }));
  // Another thread has a draft of its own.
  const current = draft.key === key ? draft : { key, text: readPreference(key) ?? "" };
  if (current !== draft) {
    setDraft(current);
  }
  const change = (text: string) => {
    setDraft({ key, text });
    // At once: a page may be left between two keystrokes.
    storePreference(key, text);
  };
  return [current.text, change];
}
