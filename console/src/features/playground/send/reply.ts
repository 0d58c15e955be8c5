// A call's result as the message that the conversation keeps.

import { newId, type Part, type Turn } from "../model/conversation";
import type { PreparedRequest } from "../request/prepare";
import type { ExchangeResult } from "./exchange";

export function replyTurn(request: PreparedRequest, result: ExchangeResult): Turn {
  const { reasoningFromMs, reasoningToMs, totalMs } = result;
  const reasoningMs =
    reasoningFromMs === undefined ? undefined : (reasoningToMs ?? totalMs) - reasoningFromMs;
  return {
    id: newId(),
    role: "assistant",
    parts: result.parts.map(withArguments),
    facts: {
      model: request.model,
      endpoint: request.endpoint,
      requestId: result.requestId,
      firstTokenMs: result.firstTokenMs,
      reasoningMs,
      totalMs,
      usage: result.usage,
      finish: result.finish,
      end: result.end,
      failure: result.failure,
    },
  };
}

/** A call without arguments takes none: an empty object. */
function withArguments(part: Part): Part {
  return part.type === "call" && part.call.arguments === ""
    ? { type: "call", call: { ...part.call, arguments: "{}" } }
    : part;
}
