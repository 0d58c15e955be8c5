// What a person sets in the playground. It is a part of the address, so everything in it is small and
// plain; whatever the address says that is not understood is left out.

import { z } from "zod";
import { ENDPOINT_IDS } from "./endpoints";

/** A parameter's value, and whether it goes along or is left out. */
const parameter = z.object({ send: z.boolean(), value: z.union([z.number(), z.string()]) });

const settingsSchema = z.object({
  endpoint: z.enum(ENDPOINT_IDS),
  model: z.string(),
  system: z.string(),
  stream: z.boolean(),
  parameters: z.record(z.string(), parameter),
  stop: z.array(z.string()),
  /** Text, any JSON, or JSON by a schema. */
  output: z.enum(["text", "json", "schema"]),
  schema: z.string(),
  /** A JSON array of `{name, description?, parameters}`. */
  tools: z.string(),
  toolChoice: z.enum(["auto", "required", "none"]),
  /** A JSON object that is merged into the body last. */
  extra: z.string(),
});

export type Settings = z.infer<typeof settingsSchema>;
export type ParameterSetting = z.infer<typeof parameter>;

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
};

const KEYS = Object.keys(DEFAULT_SETTINGS) as (keyof Settings)[];

/** Reads settings from an address or a stored thread; each wrong field falls back on its own. */
export function readSettings(value: Readonly<Record<string, unknown>>): Settings {
  const shape = settingsSchema.shape;
  const entries = KEYS.map((key) => {
    const read = shape[key].safeParse(value[key]);
    return [key, read.success ? read.data : DEFAULT_SETTINGS[key]];
  });
  return Object.fromEntries(entries) as Settings;
}

/** The settings that differ from the defaults: what the address has to say. */
export function writeSettings(settings: Settings): Partial<Settings> {
  const changed = KEYS.filter(
    (key) => JSON.stringify(settings[key]) !== JSON.stringify(DEFAULT_SETTINGS[key]),
  );
  return Object.fromEntries(changed.map((key) => [key, settings[key]])) as Partial<Settings>;
}
