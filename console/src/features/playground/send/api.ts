// What the playground asks the management interface. The calls to models go out by send/, with the
// short-lived token.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";
import { listModels } from "@/api/modelCall";
import type { CallFailure } from "../model/conversation";
import type { ModelInfo } from "../model/models";
import { ANY_CHANNEL } from "../model/settings";
import { type ShortToken, TokenKeeper } from "./token";

export type Call = Schema<"Call">;

/** A call's log line is written right after its end; this long it is waited for. */
const LOG_TRIES = 12;
const LOG_WAIT_MS = 250;

async function makeShortToken(channel: number): Promise<ShortToken> {
  const body = channel === ANY_CHANNEL ? {} : { channel_id: channel };
  const { token, expires_at } = await dataOf(api.POST("/api/playground/token", { body }));
  return { token, endsAt: Date.parse(expires_at) };
}

const keepers = new Map<number, TokenKeeper>();

/** The tokens of this page's lifetime, one for each channel that was chosen: memory only. */
export function tokensFor(channel: number): TokenKeeper {
  const kept = keepers.get(channel) ?? new TokenKeeper(() => makeShortToken(channel));
  keepers.set(channel, kept);
  return kept;
}

/** The models that there are, and which of them may be called; with a channel, those that it has. */
export const modelsQuery = (channel: number) =>
  queryOptions({
    queryKey: ["playground", "models", channel],
    queryFn: async ({ signal }): Promise<ModelInfo[]> => {
      const [known, callable] = await Promise.all([
        dataOf(api.GET("/api/model/meta", { signal })),
        tokensFor(channel)
          .token()
          .then((token) => listModels(token, signal)),
      ]);
      const allowed = new Set(callable);
      const models = known.map((model) => ({
        name: model.model,
        vendor: model.providers[0] ?? "",
        operations: model.operations,
        capabilities: model.capabilities,
        prices: (model.prices ?? null) as Record<string, string> | null,
        multiplier: model.multiplier,
        isAllowed: allowed.has(model.model),
      }));
      return channel === ANY_CHANNEL ? models : models.filter(({ isAllowed }) => isAllowed);
    },
  });

const CHANNELS_SHOWN = 50;

/** Channels to choose from, by a part of their name; for administrators. */
export const channelsQuery = (search: string) =>
  queryOptions({
    queryKey: ["playground", "channels", search],
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { p: 1, page_size: CHANNELS_SHOWN, search } as never;
      return (await dataOf(api.GET("/api/channel/", { params: { query }, signal }))).items;
    },
  });

/** The chosen channel. */
export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: ["playground", "channel", id],
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/channel/{id}", { params: { path: { id } }, signal })),
  });

/** What the ledger and the log say about one of one's own calls; null when nothing came in time. */
export const callQuery = (requestId: string) =>
  queryOptions({
    queryKey: ["playground", "call", requestId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Call | null> => {
      for (let tries = 0; tries < LOG_TRIES; tries += 1) {
        const query = { request_id: requestId, limit: 1 };
        const { items } = await dataOf(api.GET("/api/log/self", { params: { query }, signal }));
        const [found] = items;
        if (found !== undefined) {
          return found;
        }
        await new Promise((resolve) => setTimeout(resolve, LOG_WAIT_MS));
      }
      return null;
    },
  });

/** Makes an API key to put into the shown code; its secret. */
export async function makeKey(name: string): Promise<string> {
  const { key } = await dataOf(api.POST("/api/token/", { body: { name } }));
  if (typeof key !== "string") {
    throw new Error("the answer holds no key");
  }
  return key;
}

/** Why a realtime session was refused: a browser cannot read it from the socket. */
export async function refusedRealtime(
  model: string,
  since: Date,
): Promise<{ failure?: CallFailure; requestId?: string }> {
  for (let tries = 0; tries < LOG_TRIES; tries += 1) {
    const query = { endpoint: "/v1/realtime", model, from: since.toISOString(), limit: 1 };
    const { items } = await dataOf(api.GET("/api/log/self", { params: { query } }));
    const [call] = items;
    if (call !== undefined) {
      const { status, error_message, error_cause, request_id } = call;
      const failure = { status, message: error_message ?? "", code: error_cause ?? undefined };
      return { failure, requestId: request_id };
    }
    await new Promise((resolve) => setTimeout(resolve, LOG_WAIT_MS));
  }
  return {};
}
