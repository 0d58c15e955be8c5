// Price sheets as the interface writes them: decimal dollars by what is counted. Exact, never floating.

/** Dollars a million tokens. */
const TOKEN_RATES = [
  "input",
  "output",
  "cache_read",
  "cache_write_5m",
  "cache_write_1h",
  "reasoning",
  "audio_input",
  "audio_output",
  "image_input",
  "image_output",
] as const;

/** Dollars each. */
export const UNIT_RATES = [
  "per_call",
  "per_image",
  "per_second",
  "per_character",
  "per_search_unit",
] as const;

export const RATES = [...TOKEN_RATES, ...UNIT_RATES] as const;
export type Rate = (typeof RATES)[number];

/** Rates by name; other entries (tiers, images, hosted tools) are kept as they are. */
export type PriceSheet = Record<string, unknown>;

/** A rate of a sheet as text; absent where it has none. */
export function rateOf(prices: unknown, rate: Rate): string | undefined {
  const value = typeof prices === "object" && prices !== null ? (prices as PriceSheet)[rate] : null;
  return value === null || value === undefined ? undefined : String(value);
}

/** The sheet with these rates; empty ones are left out, what is no simple rate stays. */
export function withRates(before: unknown, rates: Readonly<Record<Rate, string>>): PriceSheet {
  const sheet = typeof before === "object" && before !== null ? (before as PriceSheet) : {};
  const rest = Object.entries(sheet).filter(([name]) => !RATES.some((rate) => rate === name));
  const given = RATES.flatMap((rate) => {
    const value = rates[rate].trim();
    return value === "" ? [] : [[rate, value] as const];
  });
  return Object.fromEntries([...given, ...rest]);
}

export function isDecimal(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text.trim());
}

/** The exact product of two decimal texts, without zeros at its end. */
export function multiply(left: string, right: string): string {
  const [a, aDigits] = scaled(left);
  const [b, bDigits] = scaled(right);
  const digits = aDigits + bDigits;
  const text = (a * b).toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const fraction = text.slice(text.length - digits).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

function scaled(text: string): [bigint, number] {
  const [whole = "0", fraction = ""] = text.trim().split(".");
  return [BigInt(`${whole}${fraction}`), fraction.length];
}
