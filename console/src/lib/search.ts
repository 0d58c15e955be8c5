// Typed query strings: which values a page reads from its address and what an unreadable one becomes.
// `searchOf({ p: integer(1), status: oneOf(["on", "off"]) })` is a route's `validateSearch`.

/** Reads one value; `undefined` where it is absent or unreadable. */
export type SearchField<T> = (value: unknown) => T | undefined;

/** Any text but the empty one. Numbers and switches were read as JSON by the router: text again. */
export function text(): SearchField<string> {
  return (value) => {
    if (typeof value === "number" || typeof value === "boolean") {
      return String(value);
    }
    return typeof value === "string" && value !== "" ? value : undefined;
  };
}

/** A whole number of at least `least`. */
export function integer(least = Number.MIN_SAFE_INTEGER): SearchField<number> {
  return (value) => {
    const number = typeof value === "string" ? Number(value) : value;
    return Number.isSafeInteger(number) && (number as number) >= least
      ? (number as number)
      : undefined;
  };
}

/** One of some words. */
export function oneOf<const T extends string>(choices: readonly T[]): SearchField<T> {
  return (value) => choices.find((choice) => choice === String(value));
}

/** True, or absent. */
export function flag(): SearchField<true> {
  return (value) => (value === true || value === "true" ? true : undefined);
}

/** Words separated by commas. */
export function words(): SearchField<string[]> {
  return (value) => {
    const parts = String(value ?? "")
      .split(",")
      .filter((part) => part !== "");
    return parts.length > 0 ? parts : undefined;
  };
}

type Fields = Readonly<Record<string, SearchField<unknown>>>;

/** What a page reads from its address: every value may be absent. */
export type SearchValues<F extends Fields> = {
  [K in keyof F]?: Exclude<ReturnType<F[K]>, undefined>;
};

/** The reader of a whole query string, for a route's `validateSearch`. */
export function searchOf<F extends Fields>(
  fields: F,
): (search: Record<string, unknown>) => SearchValues<F> {
  return (search) => {
    const entries = Object.entries(fields).flatMap(([name, read]) => {
      const value = search[name] === undefined ? undefined : read(search[name]);
      return value === undefined ? [] : [[name, value]];
    });
    return Object.fromEntries(entries) as SearchValues<F>;
  };
}

/** What every table keeps in its address; spread into {@link searchOf}. */
export const tableFields = {
  /** Page, counted from 1. */
  p: integer(1),
  page_size: integer(1),
  /** `name` or `-name`. */
  sort: text(),
  /** Columns that are hidden. */
  hide: words(),
} as const;

/** Where an endless list continues. */
export const cursorFields = { cursor: text(), limit: integer(1), hide: words() } as const;
