// What a rule measured, as lines of a name and a text. Each rule has facts of its own; one that this page
// does not know is shown under its own name rather than left out.

import { formatBytes } from "@/lib/bytes";
import { formatUsd } from "@/lib/money";

export interface FactLine {
  name: string;
  text: string;
  /** Where the fact is a list of models: the first of them, and how many more there are. */
  models?: { shown: readonly string[]; more: number };
}

/** Long lists say how many there are beyond these. */
const MOST = 20;

/** What a headline says, or another line. */
const SAID_ELSEWHERE = new Set(["all_keys", "all_models", "state", "amount_minor", "currency"]);

/** Empty lists and absent values say nothing and are left out. */
export function factLines(
  facts: Readonly<Record<string, unknown>>,
  language: string,
): readonly FactLine[] {
  const amount = amountText(facts, language);
  const shown = Object.entries(facts).filter(([name]) => !SAID_ELSEWHERE.has(name));
  const all = amount === undefined ? shown : [...shown, ["amount", amount] as [string, unknown]];
  return all.flatMap(([name, value]) => {
    const text = textOf(name, value, language);
    if (text === "") {
      return [];
    }
    const isOfModels = /^(unserved_)?models$/.test(name) && Array.isArray(value);
    const models = isOfModels
      ? { shown: value.slice(0, MOST).map(String), more: Math.max(0, value.length - MOST) }
      : undefined;
    return [models === undefined ? { name, text } : { name, text, models }];
  });
}

/** An amount of a payment, which is counted in the smallest unit of its currency. */
function amountText(facts: Readonly<Record<string, unknown>>, language: string) {
  const { amount_minor, currency } = facts;
  if (typeof amount_minor !== "number" || typeof currency !== "string") {
    return undefined;
  }
  const format = new Intl.NumberFormat(language, { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 0;
  return format.format(amount_minor / 10 ** digits);
}

function textOf(name: string, value: unknown, language: string): string {
  if (value === null || value === undefined || value === false) {
    return "";
  }
  if (Array.isArray(value)) {
    // Keys are counted from 1 wherever people see them.
    const each = name === "keys" ? value.map(numberOf) : value;
    const shown = each.slice(0, MOST).map((one) => textOf("", one, language));
    const more = value.length > MOST ? ` (+${value.length - MOST})` : "";
    return `${shown.join(", ")}${more}`;
  }
  if (typeof value === "object") {
    return spenderText(value, language) ?? JSON.stringify(value);
  }
  return valueText(name, value, language);
}

function valueText(name: string, value: unknown, language: string): string {
  if (typeof value === "number") {
    return name.endsWith("bytes")
      ? formatBytes(value, language)
      : new Intl.NumberFormat(language).format(value);
  }
  if (typeof value === "string" && name.endsWith("_usd") && /^-?\d+(\.\d+)?$/.test(value)) {
    return formatUsd(value, language);
  }
  const at = typeof value === "string" && name.endsWith("_at") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at)
    ? String(value)
    : new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(at);
}

/** Somebody who spent unusually much. */
function spenderText(value: object, language: string): string | undefined {
  if (!("user_id" in value && "spent_usd" in value)) {
    return undefined;
  }
  return `#${value.user_id}: ${valueText("spent_usd", value.spent_usd, language)}`;
}

function numberOf(index: unknown): unknown {
  return typeof index === "number" ? index + 1 : index;
}
