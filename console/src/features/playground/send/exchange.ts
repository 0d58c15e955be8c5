// One call of a text endpoint from sending to its end: reads the stream into a growing reply, and says
// how it ended. A stream without its own mark of the end was cut, however much it brought.

import { createParser } from "eventsource-parser";
import { requestIdOf } from "@/api/failure";
import { callModel } from "@/api/modelCall";
import type { CallFailure, ReplyEnd } from "../model/conversation";
import type { PreparedRequest } from "../request/prepare";
import type { ReplyReader } from "../stream/events";
import { type GrowingReply, ReplyFold } from "../stream/fold";
import { replyReader } from "../stream/reader";
import { wireBody } from "./body";
import { refusalOf } from "./refusal";

/** One message of a stream as it came. */
export interface RawEvent {
  atMs: number;
  name: string;
  data: string;
}

/** Told while the reply grows. */
export interface ExchangeObserver {
  opened?: (requestId: string | undefined) => void;
  raw?: (event: RawEvent) => void;
  grew: (fold: ReplyFold) => void;
}

export interface ExchangeResult extends GrowingReply {
  end: ReplyEnd;
  requestId?: string | undefined;
  totalMs: number;
}

/** Sends a request for text; never rejects. */
export async function exchange(
  request: PreparedRequest,
  token: string,
  signal: AbortSignal,
  observer: ExchangeObserver,
): Promise<ExchangeResult> {
  const start = performance.now();
  const fold = new ReplyFold();
  const elapsed = () => performance.now() - start;
  let requestId: string | undefined;
  let failure: CallFailure | undefined;
  try {
    const { path, headers } = request;
    const answer = await callModel({ path, headers, token, body: wireBody(request), signal });
    requestId = requestIdOf(answer);
    observer.opened?.(requestId);
    if (answer.ok) {
      await readAnswer(answer, request, { fold, elapsed, observer });
    } else {
      failure = await refusalOf(answer);
    }
  } catch (cause) {
    // A connection that breaks has no words of its own; the page says what it means.
    failure = signal.aborted
      ? undefined
      : { message: cause instanceof SyntaxError ? cause.message : "" };
  }
  const reply = fold.snapshot();
  failure ??= reply.failure;
  return { ...reply, failure, requestId, totalMs: elapsed(), end: endOf(reply, failure, signal) };
}

function endOf(
  reply: GrowingReply,
  failure: CallFailure | undefined,
  signal: AbortSignal,
): ReplyEnd {
  if (reply.finish !== undefined && failure === undefined) {
    return "complete";
  }
  if (signal.aborted) {
    return "stopped";
  }
  return failure !== undefined && reply.parts.length === 0 ? "failed" : "cut";
}

interface Reading {
  fold: ReplyFold;
  elapsed: () => number;
  observer: ExchangeObserver;
}

async function readAnswer(
  answer: Response,
  request: PreparedRequest,
  reading: Reading,
): Promise<void> {
  const reader = replyReader(request.endpoint);
  if (reader === undefined) {
    throw new Error(`${request.endpoint} brings no text`);
  }
  if (answer.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await readStream(answer, reader, reading);
    return;
  }
  const text = await answer.text();
  const { fold, elapsed, observer } = reading;
  observer.raw?.({ atMs: elapsed(), name: "", data: text });
  for (const event of reader.whole(JSON.parse(text))) {
    fold.add(event, elapsed());
  }
  observer.grew(fold);
}

async function readStream(answer: Response, reader: ReplyReader, reading: Reading): Promise<void> {
  const { fold, elapsed, observer } = reading;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const atMs = elapsed();
      observer.raw?.({ atMs, name: event ?? "", data });
      if (data === "[DONE]") {
        return;
      }
      for (const each of reader.event(JSON.parse(data))) {
        fold.add(each, atMs);
      }
      observer.grew(fold);
    },
  });
  const body = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await body?.read(); piece?.done === false; piece = await body?.read()) {
    parser.feed(piece.value);
  }
}
