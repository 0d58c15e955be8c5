// What each rate of a price sheet is called.

import type { Rate } from "./prices";

export const RATE_TEXT = {
  input: "models.rate.input",
  output: "models.rate.output",
  cache_read: "models.rate.cache_read",
  cache_write_5m: "models.rate.cache_write_5m",
  cache_write_1h: "models.rate.cache_write_1h",
  reasoning: "models.rate.reasoning",
  audio_input: "models.rate.audio_input",
  audio_output: "models.rate.audio_output",
  image_input: "models.rate.image_input",
  image_output: "models.rate.image_output",
  per_call: "models.rate.per_call",
  per_image: "models.rate.per_image",
  per_second: "models.rate.per_second",
  per_character: "models.rate.per_character",
  per_search_unit: "models.rate.per_search_unit",
} as const satisfies Record<Rate, string>;

export const SOURCE_TEXT = {
  administrator: "models.source.administrator",
  declared: "models.source.declared",
  catalogue: "models.source.catalogue",
  none: "models.source.none",
} as const;

export type SourceName = keyof typeof SOURCE_TEXT;
