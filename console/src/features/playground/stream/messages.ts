// Replies of the messages dialect: numbered blocks that open, grow and close.

import type { TokenUsage } from "../model/conversation";
import type { ReplyEvent, ReplyReader } from "./events";
import { count, failureOf, fields, list, text } from "./fields";

export function messagesReader(): ReplyReader {
  return { event: readEvent, whole: readWhole };
}

function readEvent(data: unknown): ReplyEvent[] {
  const event = fields(data);
  const key = String(count(event.index) ?? 0);
  switch (event.type) {
    case "message_start":
      return usageEvents(fields(event.message).usage);
    case "content_block_start":
      return blockStart(event.content_block, key);
    case "content_block_delta":
      return delta(event.delta, key);
    case "message_delta":
      return [...usageEvents(event.usage), ...finish(fields(event.delta).stop_reason)];
    case "error":
      return [{ type: "failure", failure: failureOf(event.error) }];
    default:
      return [];
  }
}

function blockStart(value: unknown, key: string): ReplyEvent[] {
  const block = fields(value);
  if (block.type === "tool_use") {
    return [{ type: "call", key, id: text(block.id), name: text(block.name) }];
  }
  return block.type === "text" && text(block.text) !== ""
    ? [{ type: "text", text: text(block.text) }]
    : [];
}

function delta(value: unknown, key: string): ReplyEvent[] {
  const piece = fields(value);
  switch (piece.type) {
    case "text_delta":
      return [{ type: "text", text: text(piece.text) }];
    case "thinking_delta":
      return [{ type: "reasoning", text: text(piece.thinking) }];
    case "signature_delta":
      return [signature(piece.signature)];
    case "input_json_delta":
      return [{ type: "arguments", key, text: text(piece.partial_json) }];
    default:
      return [];
  }
}

function readWhole(body: unknown): ReplyEvent[] {
  const { content, usage, stop_reason: reason } = fields(body);
  const blocks = list(content).flatMap((value, index): ReplyEvent[] => {
    const block = fields(value);
    const key = String(index);
    switch (block.type) {
      case "text":
        return [{ type: "text", text: text(block.text) }];
      case "thinking":
        return [{ type: "reasoning", text: text(block.thinking) }, signature(block.signature)];
      case "tool_use":
        return [
          { type: "call", key, id: text(block.id), name: text(block.name) },
          { type: "arguments", key, text: JSON.stringify(block.input ?? {}) },
        ];
      default:
        return [];
    }
  });
  return [...blocks, ...usageEvents(usage), ...finish(reason)];
}

function signature(value: unknown): ReplyEvent {
  return { type: "reasoningSignature", signature: { dialect: "messages", value: text(value) } };
}

function finish(reason: unknown): ReplyEvent[] {
  return text(reason) === "" ? [] : [{ type: "finish", reason: text(reason) }];
}

/** The dialect counts cached tokens beside the input; here the input includes them. */
function usageEvents(value: unknown): ReplyEvent[] {
  const counted = fields(value);
  const fresh = count(counted.input_tokens);
  const cached = count(counted.cache_read_input_tokens);
  const written = count(counted.cache_creation_input_tokens) ?? 0;
  const usage: TokenUsage = {
    input: fresh === undefined ? undefined : fresh + (cached ?? 0) + written,
    cached,
    output: count(counted.output_tokens),
    reasoning: count(fields(counted.output_tokens_details).thinking_tokens),
  };
  return [{ type: "usage", usage }];
}
