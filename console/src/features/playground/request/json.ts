// Plain JSON values, and the two ways in which the builders put them together.

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a value deep inside an object, making the objects on the way. */
export function setAt(target: JsonObject, path: readonly string[], value: Json): void {
  const [key, ...rest] = path;
  if (key === undefined) {
    return;
  }
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const inner = target[key];
  const next: JsonObject = isObject(inner) ? inner : {};
  target[key] = next;
  setAt(next, rest, value);
}

/** `over` on top of `base`: objects are merged, everything else is replaced. */
export function merged(base: JsonObject, over: JsonObject): JsonObject {
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}

/** Reads a text that a person typed as JSON; undefined when it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
