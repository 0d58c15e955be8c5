// From sums to the calls behind them.

import type { Group, UsageSearch } from "./search";
import { filterOf } from "./search";

/** The log's filter for a group. */
const FILTER_OF_GROUP = {
  model: "model",
  token: "token_id",
  endpoint: "endpoint",
  user: "user_id",
  channel: "channel_id",
} as const;

/** Calls without a key, user or channel have none to filter by. */
const NONE = "0";

/** The log's search for a stretch of time, and a group's key where there is one. */
export function logSearch(
  search: UsageSearch,
  { from, to }: { from: string; to: string },
  group?: { by: Group; key: string },
): Record<string, string | number> {
  const isNamed = group !== undefined && group.key !== NONE && group.key !== "";
  return {
    ...(search.scope === undefined ? {} : { scope: search.scope }),
    ...filterOf(search),
    ...(isNamed ? { [FILTER_OF_GROUP[group.by]]: group.key } : {}),
    from,
    to,
  };
}
