// The settings as the page's state, and the address as their copy: typing must not wait for the router,
// and a change of the address (back, a shared link) must be taken over.

import { useEffect, useRef, useState } from "react";
import { readSettings, type Settings, writeSettings } from "../model/settings";

/** Long enough to gather a word's keystrokes. */
const WRITE_AFTER_MS = 300;

export type SettingsSearch = Partial<Settings>;
export type ChangeSettings = (change: Partial<Settings>) => void;

export function useSettings(
  search: SettingsSearch,
  write: (search: SettingsSearch) => void,
): [Settings, ChangeSettings] {
  const [settings, setSettings] = useState(() => readSettings(search));
  const written = useRef(keyOf(settings));
  const found = keyOf(readSettings(search));
  useEffect(() => {
    if (found !== written.current) {
      written.current = found;
      setSettings(readSettings(JSON.parse(found)));
    }
  }, [found]);
  useEffect(() => {
    const key = keyOf(settings);
    if (key === written.current) {
      return undefined;
    }
    const timer = setTimeout(() => {
      written.current = key;
      write(writeSettings(settings));
    }, WRITE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [settings, write]);
  return [settings, (change) => setSettings((before) => ({ ...before, ...change }))];
}

function keyOf(settings: Settings): string {
  return JSON.stringify(writeSettings(settings));
}
