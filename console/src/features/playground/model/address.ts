// Settings in the address: only what differs from the defaults, under short and lasting names.

import { DEFAULT_SETTINGS, readSettings, type Settings, writeSettings } from "./settings";

/** Streaming is the rule, so the address names the exception. */
export type SettingsSearch = Omit<{ [K in keyof Settings]?: Settings[K] | undefined }, "stream"> & {
  whole?: true | undefined;
};

export function settingsOfSearch({ whole, ...rest }: SettingsSearch): Settings {
  return readSettings({ ...rest, stream: whole !== true });
}

/** Every name is there, so that what went back to its default leaves the address. */
export function searchOfSettings(settings: Settings): SettingsSearch {
  const absent = Object.keys(DEFAULT_SETTINGS).map((key) => [key, undefined]);
  const { stream: _, ...changed } = writeSettings(settings);
  const { stream: __, ...none } = Object.fromEntries(absent) as Partial<Settings>;
  return { ...none, ...changed, whole: settings.stream ? undefined : true };
}

/** What the playground's address holds. */
export interface PlaygroundSearch extends SettingsSearch {
  thread?: string | undefined;
  code?: true | undefined;
}

/** For the route: what the address says, without what is not understood. */
export function readPlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const settings = readSettings({ ...search, stream: search.whole !== true });
  const { stream, ...changed } = writeSettings(settings);
  return {
    ...changed,
    ...(stream === false ? { whole: true as const } : {}),
    ...(typeof search.thread === "string" ? { thread: search.thread } : {}),
    ...(search.code === true ? { code: true as const } : {}),
  };
}

export interface CompareSearch {
  /** Names separated by commas. */
  models?: string | undefined;
}

export function readCompareSearch(search: Record<string, unknown>): CompareSearch {
  return typeof search.models === "string" && search.models !== "" ? { models: search.models } : {};
}
