// What the log keeps in its address: whose calls, which, live or not, and which one is open.

import { cursorFields, flag, integer, oneOf, searchOf, text } from "@/lib/search";

/** Filters by the interface's own names, so that a link from anywhere can set them. */
const filterFields = {
  request_id: text(),
  model: text(),
  upstream_model: text(),
  endpoint: text(),
  user_id: integer(1),
  token_id: integer(1),
  channel_id: integer(1),
  status: integer(100),
  status_class: oneOf(["success", "failure", "client_error", "server_error"]),
  error_cause: text(),
  stream: oneOf(["true", "false"]),
  min_charge_usd: text(),
  min_total_ms: integer(0),
  source: text(),
  ip: text(),
  from: text(),
  to: text(),
} as const;

export const FILTERS = Object.keys(filterFields) as readonly (keyof typeof filterFields)[];

export const readLogsSearch = searchOf({
  ...cursorFields,
  ...filterFields,
  /** Administrators see everybody's calls unless they choose their own. */
  scope: oneOf(["self"]),
  live: flag(),
  /** The request id of the call in the drawer. */
  open: text(),
});

export type LogsSearch = ReturnType<typeof readLogsSearch>;

/** The filters as they are sent. */
export function filterOf(search: LogsSearch): Record<string, string> {
  const set = FILTERS.filter((name) => search[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, String(search[name])]));
}

/** The same address without any filter. */
export function withoutFilters(): { [K in keyof LogsSearch]?: undefined } {
  const names = [...FILTERS, "cursor" as const];
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
