// The calls of the first run: the root user, a model source, a key, and the first call itself.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";
import { streamEvents } from "@/api/stream";
import type { StepReport } from "@/records/TestStepItem";
import type { User } from "@/session/session";

/** How the installation will be used; decides what is shown and whether visitors may register. */
export type Mode = Schema<"ConsoleMode">;

export type Provider = Schema<"ProviderView">;
export type Call = Schema<"Call">;

/** Makes the root user and begins its session. */
export function setUp(body: Schema<"SetUpInput">): Promise<User> {
  return dataOf(api.POST("/api/setup", { body })) as Promise<User>;
}

export const providersQuery = queryOptions({
  queryKey: ["setup", "providers"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/provider/", { signal })),
});

/** The channel that set-up or the form below has made, whichever is there. */
export async function firstChannel(): Promise<Schema<"Channel"> | undefined> {
  const query = { p: 1, page_size: 1 };
  const { items } = await dataOf(api.GET("/api/channel/", { params: { query } }));
  return items[0];
}

export function makeChannel(body: Schema<"NewChannelInput">): Promise<Schema<"Channel">> {
  return dataOf(api.POST("/api/channel/", { body }));
}

/** What the upstream offers, read with settings that are not saved yet. */
export async function fetchModels(trial: Schema<"Trial">): Promise<string[]> {
  const { models } = await dataOf(api.POST("/api/channel/fetch_models", { body: trial }));
  return models ?? [];
}

/** Tries a channel out; `onStep` hears of each step as it ends. Resolves to whether all went well. */
export async function testChannel(
  trial: Schema<"Trial">,
  signal: AbortSignal,
  onStep: (step: StepReport) => void,
): Promise<boolean> {
  const options = { method: "POST", body: trial, signal } as const;
  for await (const { event, data } of streamEvents("/api/channel/test", options)) {
    if (event === "step") {
      onStep(JSON.parse(data) as StepReport);
    } else if (event === "done") {
      return (JSON.parse(data) as { success: boolean }).success;
    }
  }
  return false;
}

/** A key for the first call. */
export function makeKey(name: string): Promise<Schema<"Token">> {
  return dataOf(api.POST("/api/token/", { body: { name } }));
}

/** Resolves to the first logged call of a key. The stream ends now and then and is opened again. */
export async function firstCallOf(tokenId: number, signal: AbortSignal): Promise<Call | undefined> {
  while (!signal.aborted) {
    const path = `/api/log/stream?token_id=${tokenId}`;
    for await (const { event, data } of streamEvents(path, { signal })) {
      if (event === "call") {
        return JSON.parse(data) as Call;
      }
    }
  }
  return undefined;
}

/** The same call that the snippet makes. Resolves to the reply's text, or throws with its error. */
export async function callModel(key: string, model: string): Promise<string> {
  const answer = await fetch("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  });
  const body = await answer.json();
  if (!answer.ok) {
    throw new Error(body?.error?.message ?? `status ${answer.status}`);
  }
  return body.choices?.[0]?.message?.content ?? "";
}
