// What a user's page shows beside the user: keys, usage, orders, and what was done to the account.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";
import { USERS } from "./api";

export type ApiKey = Schema<"Token">;
export type Order = Schema<"Order">;
export type UsageItem = Schema<"BreakdownItem">;
export type LoginSession = Schema<"Session">;
export type AuditEntry = Schema<"AuditEntry">;

const DAY_MS = 86_400_000;
/** The range of the usage section. */
export const USAGE_DAYS = 30;

export const userKeysQuery = (user_id: number, p: number, page_size: number) =>
  queryOptions({
    queryKey: [USERS, "keys", user_id, p, page_size],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/token/", { params: { query: { user_id, p, page_size } }, signal })),
  });

/** Pauses a key or lets it work again. */
export function setKeyPaused(id: number, isPaused: boolean) {
  return dataOf(api.PUT("/api/token/", { body: { id, status: isPaused ? 2 : 1 } }));
}

export const userUsageQuery = (user_id: number) =>
  queryOptions({
    queryKey: [USERS, "usage", user_id],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - USAGE_DAYS * DAY_MS).toISOString();
      const query = { from, scope: "all", user_id };
      const [summary, byModel] = await Promise.all([
        dataOf(api.GET("/api/stats/summary", { params: { query }, signal })),
        dataOf(
          api.GET("/api/stats/breakdown", { params: { query: { ...query, by: "model" } }, signal }),
        ),
      ]);
      return { sums: summary.current, models: byModel.items };
    },
  });

export const userOrdersQuery = (user_id: number, p: number, page_size: number) =>
  queryOptions({
    queryKey: [USERS, "orders", user_id, p, page_size],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/topup/all", { params: { query: { user_id, p, page_size } }, signal })),
  });

export const userSessionsQuery = (id: number) =>
  queryOptions({
    queryKey: [USERS, "sessions", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/user/{id}/sessions", { params: { path: { id } }, signal })),
  });

/** Signs a user out everywhere. */
export function endSessions(id: number) {
  return dataOf(api.DELETE("/api/user/{id}/sessions", { params: { path: { id } } }));
}

export const userAuditQuery = (id: number, cursor: string | undefined, limit: number) =>
  queryOptions({
    queryKey: [USERS, "audit", id, cursor, limit],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = {
        object_kind: "user",
        object_id: String(id),
        cursor: cursor ?? null,
        limit,
      };
      return dataOf(api.GET("/api/audit/", { params: { query }, signal }));
    },
  });
