// How calls find their channels: coverage of all models, and the explanation of one call.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Coverage = Schema<"CoverageView">;
export type Explanation = Schema<"ExplanationView">;
export type Channel = Schema<"Channel">;

export interface ExplainFilter {
  model?: string;
  group?: string;
  token_id?: number;
  user_id?: number;
  operation?: string;
}

/** The first part of the key of every query here. */
export const ROUTING = "routing";

const PAGE = 100;
/** More columns than this help nobody. */
export const CHANNEL_LIMIT = 200;
const REFRESH_MS = 10_000;

export const coverageQuery = queryOptions({
  queryKey: [ROUTING, "coverage"],
  refetchInterval: REFRESH_MS,
  queryFn: ({ signal }) => dataOf(api.GET("/api/route/coverage", { signal })),
});

/** The first {@link CHANNEL_LIMIT} channels, and how many there are. */
export const channelsQuery = queryOptions({
  queryKey: [ROUTING, "channels"],
  refetchInterval: REFRESH_MS,
  queryFn: async ({ signal }): Promise<{ items: Channel[]; total: number }> => {
    const read = (p: number) =>
      dataOf(api.GET("/api/channel/", { params: { query: { p, page_size: PAGE } }, signal }));
    const first = await read(1);
    const second = first.total > PAGE ? (await read(2)).items : [];
    return { items: [...first.items, ...second], total: first.total };
  },
});

/** Adds a model to what a channel serves, or takes it out again. */
export function changeModels(id: number, action: "add_models" | "remove_models", entry: string) {
  return dataOf(api.POST("/api/channel/batch", { body: { ids: [id], action, models: [entry] } }));
}

export const groupsQuery = queryOptions({
  queryKey: [ROUTING, "groups"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/group/", { signal })),
});

/** Which channels a call would try now; asked again every few seconds while it is in view. */
export function explainQuery(filter: ExplainFilter) {
  const { model = "", group, token_id, user_id, operation } = filter;
  return queryOptions({
    queryKey: [ROUTING, "explain", filter],
    enabled: model !== "",
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) =>
      dataOf(
        api.POST("/api/route/explain", {
          body: {
            model,
            group: group ?? null,
            token_id: token_id ?? null,
            user_id: user_id ?? null,
            operation: operation ?? null,
          },
          signal,
        }),
      ),
  });
}

/** In whose name a call is explained. */
export type CallerKind = "user" | "key";

export interface Caller {
  id: number;
  name: string;
}

const MOST_CALLERS = 20;

/** Those whose name has this in it. */
export function callersQuery(kind: CallerKind, search: string) {
  return queryOptions({
    queryKey: [ROUTING, "callers", kind, search],
    queryFn: async ({ signal }): Promise<Caller[]> => {
      const query = { p: 1, page_size: MOST_CALLERS, ...(search === "" ? {} : { search }) };
      if (kind === "user") {
        const { items } = await dataOf(api.GET("/api/user/", { params: { query }, signal }));
        return items.map(({ id, username }) => ({ id, name: username }));
      }
      // Everybody's.
      const params = { query: { ...query, user_id: 0 } };
      const { items } = await dataOf(api.GET("/api/token/", { params, signal }));
      return items.map(({ id, name }) => ({ id, name }));
    },
  });
}

/** One of them. */
export function callerQuery(kind: CallerKind, id: number) {
  return queryOptions({
    queryKey: [ROUTING, "caller", kind, id],
    queryFn: async ({ signal }): Promise<Caller> => {
      const params = { path: { id } };
      if (kind === "user") {
        const { username } = await dataOf(api.GET("/api/user/{id}", { params, signal }));
        return { id, name: username };
      }
      const { name } = await dataOf(api.GET("/api/token/{id}", { params, signal }));
      return { id, name };
    },
  });
}
