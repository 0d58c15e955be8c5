// What the usage page keeps in its address: which time, whose calls, by what, and what is a table.

import { integer, oneOf, searchOf, text, words } from "@/lib/search";

export const RANGES = ["15m", "1h", "6h", "24h", "7d", "30d", "90d", "1y", "custom"] as const;

export const GROUPS = ["model", "token", "endpoint", "user", "channel"] as const;
export type Group = (typeof GROUPS)[number];

export const readUsageSearch = searchOf({
  range: oneOf(RANGES),
  /** For the range "custom". */
  from: text(),
  to: text(),
  by: oneOf(GROUPS),
  scope: oneOf(["self"]),
  model: text(),
  endpoint: text(),
  token_id: integer(1),
  user_id: integer(1),
  channel_id: integer(1),
  /** Charts that are shown as tables. */
  tables: words(),
  sort: text(),
});

export type UsageSearch = ReturnType<typeof readUsageSearch>;

export const FILTERS = ["model", "endpoint", "token_id", "user_id", "channel_id"] as const;

/** What calls must have in common, by the interface's names. */
export function filterOf(search: UsageSearch): Record<string, string | number> {
  const set = FILTERS.filter((name) => search[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, search[name] as string | number]));
}
