// Looking into JSON of unknown shape without trusting it.

import type { CallFailure } from "../model/conversation";

type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function count(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** The failure in an error object of any dialect. */
export function failureOf(error: unknown, status?: number): CallFailure {
  const { message, type, code, param, status: name } = fields(error);
  const word = (value: unknown) => (text(value) === "" ? undefined : text(value));
  return {
    status,
    message: text(message),
    type: word(type) ?? word(name),
    code: word(code),
    param: word(param),
  };
}
