// The form of a key: its values, how they are checked before they are sent, and what is sent.

import type { Key, KeyInput } from "./api";

/** How long a new key works, in days. */
export const EXPIRY_DAYS = { "1d": 1, "7d": 7, "30d": 30, "90d": 90, "1y": 365 } as const;

export type Expiry = "never" | keyof typeof EXPIRY_DAYS | "custom";

export interface KeyValues extends Record<string, unknown> {
  name: string;
  quantity: number | string;
  budget_total_usd: string;
  budget_daily_usd: string;
  budget_weekly_usd: string;
  budget_monthly_usd: string;
  rpm: number | string;
  tpm: number | string;
  concurrency: number | string;
  expiry: Expiry;
  /** Local date and time, as a browser's own field writes it. */
  expires_at: string;
  models: string[];
  endpoints: string[];
  /** One network or address a line. */
  cidrs: string;
  group: string | null;
}

export const EMPTY_KEY: KeyValues = {
  name: "",
  quantity: 1,
  budget_total_usd: "",
  budget_daily_usd: "",
  budget_weekly_usd: "",
  budget_monthly_usd: "",
  rpm: "",
  tpm: "",
  concurrency: "",
  expiry: "never",
  expires_at: "",
  models: [],
  endpoints: [],
  cidrs: "",
  group: null,
};

/** The values that show a stored key. */
export function valuesOf(key: Key): KeyValues {
  return {
    name: key.name,
    quantity: 1,
    budget_total_usd: key.budget_total_usd ?? "",
    budget_daily_usd: key.budget_daily_usd ?? "",
    budget_weekly_usd: key.budget_weekly_usd ?? "",
    budget_monthly_usd: key.budget_monthly_usd ?? "",
    rpm: key.rpm ?? "",
    tpm: key.tpm ?? "",
    concurrency: key.concurrency ?? "",
    expiry: key.expires_at === null ? "never" : "custom",
    expires_at: key.expires_at === null ? "" : localText(new Date(key.expires_at)),
    models: key.models,
    endpoints: key.endpoints,
    cidrs: key.cidrs.join("\n"),
    group: key.group,
  };
}

/** Every setting but the name, so that a cleared field is cleared on the server too. */
export function inputOf(values: KeyValues, now = Date.now()): KeyInput {
  return {
    name: values.name.trim(),
    budget_total_usd: amount(values.budget_total_usd),
    budget_daily_usd: amount(values.budget_daily_usd),
    budget_weekly_usd: amount(values.budget_weekly_usd),
    budget_monthly_usd: amount(values.budget_monthly_usd),
    rpm: count(values.rpm),
    tpm: count(values.tpm),
    concurrency: count(values.concurrency),
    expires_at: expiryOf(values, now),
    models: values.models,
    endpoints: values.endpoints,
    cidrs: networkLines(values.cidrs).map(({ text }) => text),
    group: values.group,
  };
}

/** When the key ends; null: never. */
function expiryOf({ expiry, expires_at }: KeyValues, now: number): string | null {
  switch (expiry) {
    case "never":
      return null;
    case "custom":
      return new Date(expires_at).toISOString();
    default:
      return new Date(now + EXPIRY_DAYS[expiry] * 86_400_000).toISOString();
  }
}

/** Whether a text is an exact amount of dollars; empty is none. */
export function isAmount(text: string): boolean {
  return /^(\d{1,9}(\.\d{1,9})?)?$/.test(text.trim());
}

/** The number of the first line that is no address and no network; the gateway checks it again. */
export function wrongNetworkLine(text: string): number | undefined {
  return networkLines(text).find((line) => !isNetwork(line.text))?.number;
}

function networkLines(text: string): { number: number; text: string }[] {
  return text
    .split("\n")
    .map((line, index) => ({ number: index + 1, text: line.trim() }))
    .filter((line) => line.text !== "");
}

function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const isFour = /^(\d{1,3}\.){3}\d{1,3}$/.test(address);
  const isRight = isFour
    ? address.split(".").every((part) => Number(part) <= 255)
    : /^[0-9a-f:.]+$/i.test(address) && address.split(":").length >= 3;
  const most = isFour ? 32 : 128;
  return (
    isRight &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  );
}

function amount(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}

function count(value: number | string): number | null {
  return value === "" ? null : Number(value);
}

/** A moment as the browser's field for local date and time writes it. */
function localText(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
