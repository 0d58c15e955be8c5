// Calls about API keys ("tokens" on the management interface) and what their forms choose from.

import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";
import type { KeysSearch } from "./search";

export type Key = Schema<"Token">;
export type KeyInput = Schema<"NewTokenInput">;
export type KeyUpdate = Schema<"TokenUpdate">;
export type KeyUsage = Schema<"TokenUsage">;
export type KeyBudget = Schema<"BudgetState">;

/** States as the interface numbers them. */
export const WORKING = 1;
export const PAUSED = 2;

const STATUS = { working: WORKING, paused: PAUSED } as const;

/** One page of keys. */
export function readKeys(search: KeysSearch, p: number, page_size: number, signal?: AbortSignal) {
  const query = {
    p,
    page_size,
    sort: search.sort ?? null,
    search: search.search ?? null,
    status: search.status === undefined ? null : STATUS[search.status],
    user_id: search.user_id ?? null,
  };
  return dataOf(
    api.GET("/api/token/", { params: { query }, ...(signal === undefined ? {} : { signal }) }),
  );
}

export const keysQuery = (search: KeysSearch, page: number, size: number) =>
  queryOptions({
    queryKey: [
      "keys",
      "list",
      search.search,
      search.status,
      search.user_id,
      search.sort,
      page,
      size,
    ],
    queryFn: ({ signal }) => readKeys(search, page, size, signal),
    placeholderData: keepPreviousData,
  });

/** How many there are without a filter. */
export const keyTotalQuery = (user_id: number | undefined) =>
  queryOptions({
    queryKey: ["keys", "total", user_id],
    queryFn: async ({ signal }) =>
      (await readKeys(user_id === undefined ? {} : { user_id }, 1, 1, signal)).total,
  });

export const keyQuery = (id: number) =>
  queryOptions({
    queryKey: ["keys", "one", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/token/{id}", { params: { path: { id } }, signal })),
  });

export const keyUsageQuery = (id: number) =>
  queryOptions({
    queryKey: ["keys", "usage", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/token/{id}/usage", { params: { path: { id } }, signal })),
  });

/** Names of the models that one can use, in one's own group or in this one. */
export const modelNamesQuery = (group: string | null) =>
  queryOptions({
    queryKey: ["keys", "models", group],
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/user/models", { params: { query: { group } }, signal })),
  });

/** Groups that one may choose, one's own first. */
export const groupChoicesQuery = queryOptions({
  queryKey: ["keys", "groups"],
  staleTime: 60_000,
  queryFn: ({ signal }) => dataOf(api.GET("/api/user/groups", { signal })),
});

export const createKey = (body: KeyInput) => dataOf(api.POST("/api/token/", { body }));

export const updateKey = (body: KeyUpdate) => dataOf(api.PUT("/api/token/", { body }));

export const deleteKey = (id: number) =>
  dataOf(api.DELETE("/api/token/{id}", { params: { path: { id } } }));

/** The former secret works for `overlap_s` seconds more. */
export const rotateKey = (id: number, overlap_s: number) =>
  dataOf(api.POST("/api/token/{id}/rotate", { params: { path: { id } }, body: { overlap_s } }));

/** Keys that one call of the interface takes. */
const BATCH_SIZE = 1_000;

/** One act on many keys. */
export async function actOnKeys(
  ids: readonly number[],
  action: Schema<"TokenAction">,
  expires_at: string | null = null,
): Promise<void> {
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    const body = { ids: ids.slice(start, start + BATCH_SIZE), action, expires_at };
    await dataOf(api.POST("/api/token/batch", { body }));
  }
}

/** Whatever was read about keys is old. */
export const forgetKeys = (client: QueryClient) => client.invalidateQueries({ queryKey: ["keys"] });
