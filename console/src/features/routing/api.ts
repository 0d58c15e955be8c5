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

const PAGE = 100;
/** More columns than this help nobody. */
export const CHANNEL_LIMIT = 200;
const REFRESH_MS = 10_000;

export const coverageQuery = queryOptions({
  queryKey: ["routing", "coverage"],
  refetchInterval: REFRESH_MS,
  queryFn: ({ signal }) => dataOf(api.GET("/api/route/coverage", { signal })),
});

/** The first {@link CHANNEL_LIMIT} channels, and how many there are. */
export const channelsQuery = queryOptions({
  queryKey: ["routing", "channels"],
  refetchInterval: REFRESH_MS,
  queryFn: async ({ signal }): Promise<{ items: Channel[]; total: number }> => {
    const read = (p: number) =>
      dataOf(api.GET("/api/channel/", { params: { query: { p, page_size: PAGE } }, signal }));
    const first = await read(1);
    const second = first.total > PAGE ? (await read(2)).items : [];
    return { items: [...first.items, ...second], total: first.total };
  },
});

export const groupsQuery = queryOptions({
  queryKey: ["routing", "groups"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/group/", { signal })),
});

/** Which channels a call would try now; asked again every few seconds while it is in view. */
export function explainQuery(filter: ExplainFilter) {
  const { model = "", group, token_id, user_id, operation } = filter;
  return queryOptions({
    queryKey: ["routing", "explain", filter],
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
