// JSON values as literals of Python and TypeScript, laid out as a person would write them.

import { isObject, type Json } from "../request/json";

const INDENT = "    ";

/** A Python literal; `depth` is how far its line is indented already. */
export function python(value: Json, depth = 0): string {
  if (value === null) {
    return "None";
  }
  if (typeof value === "boolean") {
    return value ? "True" : "False";
  }
  if (Array.isArray(value)) {
    return block(
      "[",
      value.map((item) => python(item, depth + 1)),
      "]",
      depth,
      INDENT,
    );
  }
  if (isObject(value)) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}: ${python(item, depth + 1)}`,
    );
    return block("{", entries, "}", depth, INDENT);
  }
  return JSON.stringify(value);
}

/** A TypeScript literal, which is JavaScript too. */
export function typescript(value: Json, depth = 0): string {
  if (Array.isArray(value)) {
    return block(
      "[",
      value.map((item) => typescript(item, depth + 1)),
      "]",
      depth,
      "  ",
    );
  }
  if (isObject(value)) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${propertyName(key)}: ${typescript(item, depth + 1)}`,
    );
    return block("{", entries, "}", depth, "  ");
  }
  return JSON.stringify(value);
}

function propertyName(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

function block(
  open: string,
  items: readonly string[],
  close: string,
  depth: number,
  indent: string,
): string {
  if (items.length === 0) {
    return open + close;
  }
  const inner = indent.repeat(depth + 1);
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent.repeat(depth)}${close}`;
}
