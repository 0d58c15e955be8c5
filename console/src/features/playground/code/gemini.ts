// A generate-content body as the arguments of Google's library, which has everything but the contents in
// one flat configuration.

import { isObject, type JsonObject } from "../request/json";

const KNOWN = new Set([
  "contents",
  "systemInstruction",
  "generationConfig",
  "tools",
  "toolConfig",
  "safetySettings",
]);

/** The configuration; what the library does not know goes along as `extraKey` of its HTTP options. */
export function geminiConfig(body: JsonObject, httpKey: string, extraKey: string): JsonObject {
  const { contents: _, generationConfig, ...rest } = body;
  const known = Object.entries(rest).filter(([key]) => KNOWN.has(key));
  const extra = Object.entries(rest).filter(([key]) => !KNOWN.has(key));
  return {
    ...(isObject(generationConfig) ? generationConfig : {}),
    ...Object.fromEntries(known),
    ...(extra.length === 0 ? {} : { [httpKey]: { [extraKey]: Object.fromEntries(extra) } }),
  };
}
