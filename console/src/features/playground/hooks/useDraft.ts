// The message that is being written, kept in this browser until it is sent, one for each thread.

import { useEffect, useState } from "react";
import { readPreference, storePreference } from "@/lib/preference";

const STORE_AFTER_MS = 250;

export function useDraft(place: string): [string, (text: string) => void] {
  const key = `modelgate.playground.draft.${place}`;
  const [draft, setDraft] = useState(() => ({ key, text: readPreference(key) ?? "" }));
  // Another thread has a draft of its own.
  const current = draft.key === key ? draft : { key, text: readPreference(key) ?? "" };
  if (current !== draft) {
    setDraft(current);
  }
  useEffect(() => {
    const timer = setTimeout(() => storePreference(current.key, current.text), STORE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [current.key, current.text]);
  const change = (text: string) => {
    setDraft({ key, text });
    if (text === "") {
      // A sent message must not come back after a quick reload.
      storePreference(key, "");
    }
  };
  return [current.text, change];
}
