// What a person sets in the playground. It is a part of the address, so everything in it is small and
// plain; whatever the address says that is not understood is left out. It is read by hand, because every
// page of the console loads what reads an address.

import { ENDPOINT_IDS, type EndpointId } from "./endpoints";

/** A parameter's value, and whether it goes along or is left out. */
export interface ParameterSetting {
  send: boolean;
  value: number | string;
}

const OUTPUTS = ["text", "json", "schema"] as const;
const TOOL_CHOICES = ["auto", "required", "none"] as const;

export interface Settings {
  endpoint: EndpointId;
  model: string;
  system: string;
  stream: boolean;
  parameters: Record<string, ParameterSetting>;
  stop: string[];
  /** Text, any JSON, or JSON by a schema. */
  output: (typeof OUTPUTS)[number];
  schema: string;
  /** A JSON array of `{name, description?, parameters}`. */
  tools: string;
  toolChoice: (typeof TOOL_CHOICES)[number];
  /** A JSON object that is merged into the body last. */
  extra: string;
  /** The id of the one channel that calls go through; for administrators. */
  channel: number;
}

/** No channel is chosen: calls go where routing sends them. */
export const ANY_CHANNEL = 0;

export const DEFAULT_SETTINGS: Settings = {
  endpoint: "chat",
  model: "",
  system: "",
  stream: true,
  parameters: {},
  stop: [],
  output: "text",
  schema: "",
  tools: "",
  toolChoice: "auto",
  extra: "",
  channel: ANY_CHANNEL,
};

const KEYS = Object.keys(DEFAULT_SETTINGS) as (keyof Settings)[];

type Read<T> = (value: unknown) => T | undefined;

/** The router reads numbers and JSON in an address as such; a text they stay. */
const text: Read<string> = (value) => {
  if (value === undefined || value === null) {
    return undefined;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
};
const oneOf =
  <T extends string>(choices: readonly T[]): Read<T> =>
  (value) =>
    choices.find((choice) => choice === value);

const READERS: { [K in keyof Settings]: Read<Settings[K]> } = {
  endpoint: oneOf(ENDPOINT_IDS),
  model: text,
  system: text,
  stream: (value) => (typeof value === "boolean" ? value : undefined),
  parameters: readParameters,
  stop: (value) =>
    Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined,
  output: oneOf(OUTPUTS),
  schema: text,
  tools: text,
  toolChoice: oneOf(TOOL_CHOICES),
  extra: text,
  channel: (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined,
};

function readParameters(value: unknown): Settings["parameters"] | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const entries = Object.entries(value as Record<string, Partial<ParameterSetting> | null>);
  const good = entries.filter(
    ([, setting]) =>
      typeof setting?.send === "boolean" && ["number", "string"].includes(typeof setting.value),
  );
  return Object.fromEntries(good) as Settings["parameters"];
}

/** Reads settings from an address or a stored thread; each wrong field falls back on its own. */
export function readSettings(value: Readonly<Record<string, unknown>>): Settings {
  const entries = KEYS.map((key) => [key, READERS[key](value[key]) ?? DEFAULT_SETTINGS[key]]);
  return Object.fromEntries(entries) as Settings;
}

/** The settings that differ from the defaults: what the address has to say. */
export function writeSettings(settings: Settings): Partial<Settings> {
  const changed = KEYS.filter(
    (key) => JSON.stringify(settings[key]) !== JSON.stringify(DEFAULT_SETTINGS[key]),
  );
  return Object.fromEntries(changed.map((key) => [key, settings[key]])) as Partial<Settings>;
}
