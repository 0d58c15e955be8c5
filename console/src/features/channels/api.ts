// The calls of the channel pages and their places in the query cache.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Channel = Schema<"Channel">;
export type Provider = Schema<"ProviderView">;
export type Trial = Schema<"Trial">;
export type ChannelUpdate = Schema<"ChannelUpdate">;
export type NewChannel = Schema<"NewChannelInput">;
export type ChannelKey = Schema<"KeyView">;
export type SettableState = "on" | "draining" | "off";

/** What narrows the list; each is absent or says what to keep. */
export interface ChannelFilter {
  search?: string;
  type?: string;
  state?: SettableState;
  tag?: string;
  model?: string;
  group?: string;
}

/** A board beyond this many cards helps nobody; the table has pages. */
export const BOARD_LIMIT = 200;
const PAGE = 100;
const HOUR_MS = 3_600_000;
const REFRESH_MS = 15_000;

async function readPage(filter: ChannelFilter, p: number, page_size: number, signal?: AbortSignal) {
  const { search, type, state, tag, model, group } = filter;
  const query = {
    p,
    page_size,
    search: search ?? null,
    type: type ?? null,
    state: state ?? null,
    tag: tag ?? null,
    model: model ?? null,
    group: group ?? null,
  };
  const init = signal === undefined ? {} : { signal };
  return dataOf(api.GET("/api/channel/", { params: { query }, ...init }));
}

/** One page of the table. */
export function channelPageQuery(filter: ChannelFilter, p: number, size: number) {
  return queryOptions({
    queryKey: ["channels", "page", filter, p, size],
    queryFn: ({ signal }) => readPage(filter, p, size, signal),
    refetchInterval: REFRESH_MS,
  });
}

/** The first {@link BOARD_LIMIT} channels of the filter, and how many match. */
export function boardQuery(filter: ChannelFilter) {
  return queryOptions({
    queryKey: ["channels", "board", filter],
    queryFn: async ({ signal }): Promise<{ items: Channel[]; total: number }> => {
      const first = await readPage(filter, 1, PAGE, signal);
      if (first.total <= PAGE) {
        return { items: first.items, total: first.total };
      }
      const second = await readPage(filter, 2, PAGE, signal);
      return { items: [...first.items, ...second.items], total: first.total };
    },
    refetchInterval: REFRESH_MS,
  });
}

/** Every channel that matches, for acts on all of them and for files. */
export async function everyChannel(filter: ChannelFilter): Promise<Channel[]> {
  const rows: Channel[] = [];
  for (let p = 1; ; p += 1) {
    const { items, total } = await readPage(filter, p, PAGE);
    rows.push(...items);
    if (items.length < PAGE || rows.length >= total) {
      return rows;
    }
  }
}

/** How many channels there are without any filter. */
export const channelCountQuery = queryOptions({
  queryKey: ["channels", "count"],
  queryFn: async ({ signal }) => (await readPage({}, 1, 1, signal)).total,
});

export function channelQuery(id: number) {
  return queryOptions({
    queryKey: ["channels", "one", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/channel/{id}", { params: { path: { id } }, signal })),
    refetchInterval: REFRESH_MS,
  });
}

export const providersQuery = queryOptions({
  queryKey: ["channels", "providers"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => dataOf(api.GET("/api/provider/", { signal })),
});

export const groupsQuery = queryOptions({
  queryKey: ["channels", "groups"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/group/", { signal })),
});

/** Tries and failures of the last hour, of every channel. */
export const healthQuery = queryOptions({
  queryKey: ["channels", "health"],
  refetchInterval: 60_000,
  queryFn: ({ signal }) => {
    const from = new Date(Date.now() - HOUR_MS).toISOString();
    return dataOf(api.GET("/api/stats/channel_health", { params: { query: { from } }, signal }));
  },
});

/** What calls through each channel were charged in the last hour. */
export const spendQuery = queryOptions({
  queryKey: ["channels", "spend"],
  refetchInterval: 60_000,
  queryFn: ({ signal }) => {
    const from = new Date(Date.now() - HOUR_MS).toISOString();
    const query = { by: "channel", scope: "all", limit: 1000, from };
    return dataOf(api.GET("/api/stats/breakdown", { params: { query }, signal }));
  },
});

/** How long calls through one channel took in the last day. */
export function percentilesQuery(channel_id: number) {
  return queryOptions({
    queryKey: ["channels", "percentiles", channel_id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/stats/percentiles", {
          params: { query: { scope: "all", channel_id } },
          signal,
        }),
      ),
  });
}

export function keysQuery(id: number) {
  return queryOptions({
    queryKey: ["channels", "keys", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/channel/{id}/keys", { params: { path: { id } }, signal })),
  });
}

export function createChannel(channel: NewChannel) {
  return dataOf(api.POST("/api/channel/", { body: channel }));
}

export function updateChannel(update: ChannelUpdate) {
  return dataOf(api.PUT("/api/channel/", { body: update }));
}

export function deleteChannel(id: number) {
  return dataOf(api.DELETE("/api/channel/{id}", { params: { path: { id } } }));
}

export function setState(id: number, state: SettableState, reason: string | null = null) {
  const params = { path: { id } };
  return dataOf(api.POST("/api/channel/{id}/state", { params, body: { state, reason } }));
}

export type Batch = Omit<Schema<"ChannelBatch">, "as_task">;

/** Acts on channel after channel, as a task. */
export function beginBatch(batch: Batch) {
  return dataOf(api.POST("/api/channel/batch", { body: { ...batch, as_task: true } }));
}

/** Tries channels out with models, as a task. */
export function beginMatrix(body: Schema<"Matrix">) {
  return dataOf(api.POST("/api/channel/test_matrix", { body }));
}

export function changeKeys(id: number, body: Schema<"KeyChange">) {
  return dataOf(api.POST("/api/channel/{id}/keys", { params: { path: { id } }, body }));
}

export type ChannelBalance = Schema<"ChannelBalance">;

/** Asks the vendor what is left on the accounts of the channel's keys. */
export function askBalance(id: number) {
  return dataOf(api.POST("/api/channel/{id}/balance", { params: { path: { id } } }));
}

export function fetchModels(trial: Trial) {
  return dataOf(api.POST("/api/channel/fetch_models", { body: trial }));
}
