// Which items somebody has had before their eyes in this browser, so that the bell counts new ones only.

import { useState } from "react";
import { readPreference, storePreference } from "@/lib/preference";

const KEY = "modelgate-seen-notices";
const SEPARATOR = "\n";

function read(): string[] {
  return (readPreference(KEY) ?? "").split(SEPARATOR).filter((id) => id !== "");
}

/** `see` forgets what is not current any more, so that the list stays short. */
export function useSeen(): { seen: readonly string[]; see: (current: readonly string[]) => void } {
  const [seen, setSeen] = useState(read);
  const see = (current: readonly string[]) => {
    storePreference(KEY, current.join(SEPARATOR));
    setSeen([...current]);
  };
  return { seen, see };
}
