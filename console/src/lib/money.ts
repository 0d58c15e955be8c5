// Money without floating point: the interface's decimal dollars as whole nano-dollars, and as text.

/** Nano-dollars in a dollar. */
const UNIT = 1_000_000_000n;
const DIGITS = 9;
/** Digits behind the point of what a charge is the sum of; only the sum is whole nano-dollars. */
const EXACT_DIGITS = 21;

/** `"1.25"` is 1250000000n. Throws where the text is no decimal number. */
export function nanosOf(usd: string): bigint {
  return wholeOf(usd, DIGITS);
}

/** In units of the last of so many digits behind the point; what is finer is cut off. */
function wholeOf(usd: string, digits: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d*))?$/.exec(usd.trim());
  if (match === null) {
    throw new TypeError(`Not an amount of dollars: ${usd}`);
  }
  const [, sign, whole = "0", fraction = ""] = match;
  const size = BigInt(`${whole}${fraction.padEnd(digits, "0").slice(0, digits)}`);
  return sign === "-" ? -size : size;
}

/** The exact decimal text, without zeros at its end: 1250000000n is `"1.25"`. */
export function usdOf(nanos: bigint): string {
  return textOf(nanos, DIGITS);
}

function textOf(amount: bigint, digits: number): string {
  const isNegative = amount < 0n;
  const size = (isNegative ? -amount : amount).toString().padStart(digits + 1, "0");
  const fraction = size.slice(-digits).replace(/0+$/, "");
  return `${isNegative ? "-" : ""}${size.slice(0, -digits)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The sum of exact amounts, exact. */
export function sumUsd(amounts: Iterable<string>): string {
  let sum = 0n;
  for (const amount of amounts) {
    sum += wholeOf(amount, EXACT_DIGITS);
  }
  return textOf(sum, EXACT_DIGITS);
}

/** A currency to show amounts in, and how many of it a dollar is. */
export interface Currency {
  code: string;
  /** Decimal text. */
  rate: string;
}

const DOLLARS: Currency = { code: "USD", rate: "1" };

/** The amount as people read it: hundredths from one on, three significant digits below. */
export function formatUsd(usd: string, language: string, currency: Currency = DOLLARS): string {
  const nanos = (nanosOf(usd) * nanosOf(currency.rate)) / UNIT;
  const size = nanos < 0n ? -nanos : nanos;
  const isSmall = size > 0n && size < UNIT;
  // A fraction of nine digits: what it has before its first other digit are its leading zeros.
  const leadingZeros = DIGITS - size.toString().length;
  const format = new Intl.NumberFormat(language, {
    style: "currency",
    currency: currency.code,
    minimumFractionDigits: 2,
    maximumFractionDigits: isSmall ? Math.min(leadingZeros + 3, DIGITS) : 2,
  });
  // The text form is formatted exactly; a number would be rounded to 53 bits first.
  return format.format(usdOf(nanos) as Intl.StringNumericLiteral);
}
