// What administrators did, newest first.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type AuditEntry = Schema<"AuditEntry">;

export interface AuditFilter {
  action?: string;
  object_kind?: string;
  object_id?: string;
  actor_id?: number;
  /** Days of the reader's calendar, `2026-01-31`. */
  from?: string;
  to?: string;
}

const EXPORT_PAGE = 1000;

function readPage(
  filter: AuditFilter,
  cursor: string | undefined,
  limit: number,
  signal?: AbortSignal,
) {
  const query = {
    cursor: cursor ?? null,
    limit,
    action: filter.action ?? null,
    object_kind: filter.object_kind ?? null,
    object_id: filter.object_id ?? null,
    actor_id: filter.actor_id ?? null,
    from: filter.from === undefined ? null : new Date(`${filter.from}T00:00:00`).toISOString(),
    to: filter.to === undefined ? null : dayAfter(filter.to),
  };
  const init = signal === undefined ? {} : { signal };
  return dataOf(api.GET("/api/audit/", { params: { query }, ...init }));
}

/** The whole day counts. */
function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + 1);
  return date.toISOString();
}

export function auditQuery(filter: AuditFilter, cursor: string | undefined, limit: number) {
  return queryOptions({
    queryKey: ["audit", filter, cursor ?? null, limit],
    queryFn: ({ signal }) => readPage(filter, cursor, limit, signal),
  });
}

/** Every entry of the filter, for a file. */
export async function everyEntry(filter: AuditFilter): Promise<AuditEntry[]> {
  const rows: AuditEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(filter, cursor, EXPORT_PAGE);
    rows.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}
