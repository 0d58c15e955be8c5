// Replies of the responses dialect: output items with events of their own.

import type { TokenUsage } from "../model/conversation";
import type { ReplyEvent, ReplyReader } from "./events";
import { count, failureOf, fields, list, text } from "./fields";

export function responsesReader(): ReplyReader {
  return { event: readEvent, whole: readWhole };
}

function readEvent(data: unknown): ReplyEvent[] {
  const event = fields(data);
  const key = String(count(event.output_index) ?? 0);
  switch (event.type) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      return [{ type: "text", text: text(event.delta) }];
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return [{ type: "reasoning", text: text(event.delta) }];
    case "response.output_item.added":
      return callStart(event.item, key);
    case "response.function_call_arguments.delta":
      return [{ type: "arguments", key, text: text(event.delta) }];
    case "response.completed":
    case "response.incomplete":
      return endOf(event.response);
    case "response.failed":
      return [
        ...usageEvents(fields(event.response).usage),
        { type: "failure", failure: failureOf(fields(event.response).error) },
      ];
    case "error":
      return [{ type: "failure", failure: failureOf(event.error ?? event) }];
    default:
      return [];
  }
}

function callStart(value: unknown, key: string): ReplyEvent[] {
  const item = fields(value);
  return item.type === "function_call"
    ? [{ type: "call", key, id: text(item.call_id), name: text(item.name) }]
    : [];
}

function endOf(value: unknown): ReplyEvent[] {
  const response = fields(value);
  const reason = text(fields(response.incomplete_details).reason) || text(response.status);
  return [...usageEvents(response.usage), { type: "finish", reason }];
}

function readWhole(body: unknown): ReplyEvent[] {
  const response = fields(body);
  if (response.status === "failed") {
    return [{ type: "failure", failure: failureOf(response.error) }];
  }
  return [...list(response.output).flatMap(itemEvents), ...endOf(response)];
}

function itemEvents(value: unknown, index: number): ReplyEvent[] {
  const item = fields(value);
  const key = String(index);
  switch (item.type) {
    case "message":
      return list(item.content).map((part) => {
        const said = fields(part);
        return { type: "text", text: text(said.text) || text(said.refusal) };
      });
    case "reasoning":
      return [...list(item.summary), ...list(item.content)].map((part) => ({
        type: "reasoning",
        text: text(fields(part).text),
      }));
    case "function_call":
      return [
        { type: "call", key, id: text(item.call_id), name: text(item.name) },
        { type: "arguments", key, text: text(item.arguments) },
      ];
    default:
      return [];
  }
}

function usageEvents(value: unknown): ReplyEvent[] {
  const counted = fields(value);
  if (count(counted.input_tokens) === undefined) {
    return [];
  }
  const usage: TokenUsage = {
    input: count(counted.input_tokens),
    cached: count(fields(counted.input_tokens_details).cached_tokens),
    output: count(counted.output_tokens),
    reasoning: count(fields(counted.output_tokens_details).reasoning_tokens),
  };
  return [{ type: "usage", usage }];
}
