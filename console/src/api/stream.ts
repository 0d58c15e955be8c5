// Server-sent events of the management interface, by GET or POST: read until the stream ends or the
// signal says so. A refusal before the first event is a RequestFailure like everywhere else.

import { EventSourceParserStream } from "eventsource-parser/stream";
import { failureFromException, failureFromStatus } from "./failure";

/** One event; `data` is still text. */
export interface StreamEvent {
  event: string;
  data: string;
}

export interface StreamOptions {
  signal: AbortSignal;
  method?: "GET" | "POST";
  /** Sent as JSON. */
  body?: unknown;
}

/** `for await (const { event, data } of streamEvents("/api/log/stream", { signal }))`. */
export async function* streamEvents(
  path: string,
  { signal, method = "GET", body }: StreamOptions,
): AsyncGenerator<StreamEvent> {
  const answer = await open(path, { signal, method, body });
  const events = answer.body
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream());
  const reader = events?.getReader();
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      yield { event: next.value.event ?? "message", data: next.value.data };
    }
  } catch (cause) {
    // Whoever ended it knows; a lost connection is for the caller to tell.
    if (!signal.aborted) {
      throw failureFromException(path, cause);
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

async function open(
  path: string,
  { signal, method, body }: Required<Pick<StreamOptions, "signal" | "method">> & { body: unknown },
): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      signal,
      cache: "no-store",
      credentials: "same-origin",
      headers: body === undefined ? {} : { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    throw failureFromException(path, cause);
  }
  if (!answer.ok) {
    throw await failureFromStatus(path, answer);
  }
  return answer;
}
