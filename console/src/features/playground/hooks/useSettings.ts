// The settings as the page's state, and the address as their copy: typing must not wait for the router,
// and a change of the address (back, a shared link) must be taken over.

import { useCallback, useEffect, useRef, useState } from "react";
import { type SettingsSearch, searchOfSettings, settingsOfSearch } from "../model/address";
import type { Settings } from "../model/settings";

/** Long enough to gather a word's keystrokes. */
const WRITE_AFTER_MS = 300;

export type ChangeSettings = (change: Partial<Settings>) => void;

export function useSettings(
  search: SettingsSearch,
  write: (search: SettingsSearch) => void,
): [Settings, ChangeSettings] {
  const [settings, setSettings] = useState(() => settingsOfSearch(search));
  const written = useRef(keyOf(settings));
  const found = keyOf(settingsOfSearch(search));
  useEffect(() => {
    if (found !== written.current) {
      written.current = found;
      setSettings(settingsOfSearch(JSON.parse(found)));
    }
  }, [found]);
  useEffect(() => {
    const key = keyOf(settings);
    if (key === written.current) {
      return undefined;
    }
    const timer = setTimeout(() => {
      written.current = key;
      write(searchOfSettings(settings));
    }, WRITE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [settings, write]);
  const change = useCallback(
    (patch: Partial<Settings>) => setSettings((before) => ({ ...before, ...patch })),
    [],
  );
  return [settings, change];
}

function keyOf(settings: Settings): string {
  return JSON.stringify(searchOfSettings(settings));
}
