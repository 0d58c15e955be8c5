// Calls of the log.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";
import { filterOf, type LogsSearch } from "./search";

export type Call = Schema<"Call">;
export type Attempt = Schema<"Attempt">;

/** Whose calls: the interface's word for everybody's or one's own. */
export type Scope = "all" | "self";

interface PageOf {
  scope: Scope;
  filter: Readonly<Record<string, string>>;
  limit: number;
  cursor?: string | undefined;
}

/** One page of calls, newest first. */
export function readCalls({ scope, filter, limit, cursor }: PageOf, signal?: AbortSignal) {
  // The filter's values are text in the address as well as on the wire.
  const query = { ...filter, limit, cursor: cursor ?? null } as never;
  const options = { params: { query }, ...(signal === undefined ? {} : { signal }) };
  return dataOf(
    scope === "all" ? api.GET("/api/log/", options) : api.GET("/api/log/self", options),
  );
}

export const callsQuery = (search: LogsSearch, scope: Scope, limit: number) => {
  const filter = filterOf(search);
  return queryOptions({
    queryKey: ["logs", scope, filter, limit, search.cursor],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readCalls({ scope, filter, limit, cursor: search.cursor }, signal),
  });
};

export const callQuery = (request_id: string) =>
  queryOptions({
    queryKey: ["logs", "one", request_id],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/log/{request_id}", { params: { path: { request_id } }, signal })),
  });

/** The address of the whole list as a file; the browser saves the stream as it comes. */
export function exportAddress(search: LogsSearch, scope: Scope, format: "csv" | "jsonl"): string {
  return `/api/log/export?${new URLSearchParams({ ...filterOf(search), scope, format })}`;
}

export interface Choice {
  value: string;
  label: string;
}

const page = { p: 1, page_size: 100 } as const;

/** Keys to choose from: one's own, or everybody's. */
export const keyChoicesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ["keys", "choices", scope],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<Choice[]> => {
      const query = {
        ...page,
        sort: null,
        search: null,
        status: null,
        user_id: scope === "all" ? 0 : null,
      };
      const keys = await dataOf(api.GET("/api/token/", { params: { query }, signal }));
      return keys.items.map(({ id, name }) => ({ value: String(id), label: name }));
    },
  });

export const userChoicesQuery = queryOptions({
  queryKey: ["logs", "users"],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Choice[]> => {
    const users = await dataOf(api.GET("/api/user/", { params: { query: page as never }, signal }));
    return users.items.map(({ id, username }) => ({ value: String(id), label: username }));
  },
});

export const channelChoicesQuery = queryOptions({
  queryKey: ["logs", "channels"],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Choice[]> => {
    const channels = await dataOf(
      api.GET("/api/channel/", { params: { query: page as never }, signal }),
    );
    return channels.items.map(({ id, name }) => ({ value: String(id), label: name }));
  },
});

export const modelChoicesQuery = queryOptions({
  queryKey: ["logs", "models"],
  staleTime: 60_000,
  queryFn: ({ signal }) => dataOf(api.GET("/api/user/models", { signal })),
});
