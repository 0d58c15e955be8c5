// What the Connect page chooses from, and the key that it can make.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "@/api/management";

/** One's own working keys, the newest hundred. */
export const ownKeysQuery = queryOptions({
  queryKey: ["keys", "connect"],
  queryFn: ({ signal }) =>
    dataOf(
      api.GET("/api/token/", {
        params: {
          query: { p: 1, page_size: 100, sort: null, search: null, status: 1, user_id: null },
        },
        signal,
      }),
    ),
});

/** Models that generate text: what every tool here asks for. */
export const textModelsQuery = queryOptions({
  queryKey: ["connect", "models"],
  staleTime: 60_000,
  queryFn: async ({ signal }) => {
    const models = await dataOf(api.GET("/api/model/meta", { signal }));
    return models.filter(({ capabilities }) => capabilities !== null).map(({ model }) => model);
  },
});

export const makeKey = (name: string) => dataOf(api.POST("/api/token/", { body: { name } }));

export const playgroundToken = () => dataOf(api.POST("/api/playground/token", { body: {} }));

/** The newest call since a moment, with a key or with any of one's own. */
export async function latestCall(keyId: number | undefined, since: Date, signal: AbortSignal) {
  const query = {
    from: since.toISOString(),
    limit: 1,
    ...(keyId === undefined ? {} : { token_id: keyId }),
  };
  const { items } = await dataOf(
    api.GET("/api/log/self", { params: { query: query as never }, signal }),
  );
  return items[0];
}
