// What the playground asks the management interface. The calls to models go out by send/, with the
// short-lived token.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";
import { listModels } from "@/api/modelCall";
import type { CallFailure } from "../model/conversation";
import type { ModelInfo } from "../model/models";
import { type ShortToken, TokenKeeper } from "./token";

export type Call = Schema<"Call">;

/** A call's log line is written right after its end; this long it is waited for. */
const LOG_TRIES = 12;
const LOG_WAIT_MS = 250;

async function makeShortToken(): Promise<ShortToken> {
  const { token, expires_at } = await dataOf(api.POST("/api/playground/token"));
  return { token, endsAt: Date.parse(expires_at) };
}

/** The token of this page's lifetime: memory only. */
export const tokens = new TokenKeeper(makeShortToken);

/** The models that there are, and which of them may be called. */
export const modelsQuery = queryOptions({
  queryKey: ["playground", "models"],
  queryFn: async ({ signal }): Promise<ModelInfo[]> => {
    const [known, callable] = await Promise.all([
      dataOf(api.GET("/api/model/meta", { signal })),
      tokens.token().then((token) => listModels(token, signal)),
    ]);
    const allowed = new Set(callable);
    return known.map((model) => ({
      name: model.model,
      vendor: model.providers[0] ?? "",
      operations: model.operations,
      capabilities: model.capabilities,
      prices: (model.prices ?? null) as Record<string, string> | null,
      multiplier: model.multiplier,
      isAllowed: allowed.has(model.model),
    }));
  },
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
