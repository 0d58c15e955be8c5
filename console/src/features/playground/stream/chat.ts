// Replies of the chat dialect, and of text completions, whose pieces differ only in where text stands.

import type { TokenUsage } from "../model/conversation";
import type { ReplyEvent, ReplyReader } from "./events";
import { count, failureOf, fields, list, text } from "./fields";

export function chatReader(): ReplyReader {
  return {
    event: (data) => read(data, "delta"),
    whole: (data) => read(data, "message"),
  };
}

export function completionsReader(): ReplyReader {
  return { event: readCompletion, whole: readCompletion };
}

function read(data: unknown, place: "delta" | "message"): ReplyEvent[] {
  const { choices, usage, error } = fields(data);
  if (error !== undefined) {
    return [{ type: "failure", failure: failureOf(error) }];
  }
  const choice = fields(list(choices)[0]);
  const message = fields(choice[place]);
  return [
    ...pieces(message),
    ...list(message.tool_calls).flatMap(callEvents),
    ...usageEvents(usage),
    ...finishEvents(choice),
  ];
}

function pieces(message: Readonly<Record<string, unknown>>): ReplyEvent[] {
  const reasoning = text(message.reasoning_content) || text(message.reasoning);
  const said = text(message.content) || text(message.refusal);
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]),
    ...(said === "" ? [] : [{ type: "text" as const, text: said }]),
  ];
}

/** The first piece of a call brings its name, all bring a part of the arguments. */
function callEvents(value: unknown, position: number): ReplyEvent[] {
  const call = fields(value);
  const { name, arguments: piece } = fields(call.function);
  const key = String(count(call.index) ?? position);
  const start: ReplyEvent[] =
    text(name) === "" ? [] : [{ type: "call", key, id: text(call.id), name: text(name) }];
  return text(piece) === "" ? start : [...start, { type: "arguments", key, text: text(piece) }];
}

function readCompletion(data: unknown): ReplyEvent[] {
  const { choices, usage, error } = fields(data);
  if (error !== undefined) {
    return [{ type: "failure", failure: failureOf(error) }];
  }
  const choice = fields(list(choices)[0]);
  const said = text(choice.text);
  return [
    ...(said === "" ? [] : [{ type: "text" as const, text: said }]),
    ...usageEvents(usage),
    ...finishEvents(choice),
  ];
}

function finishEvents(choice: Readonly<Record<string, unknown>>): ReplyEvent[] {
  const reason = text(choice.finish_reason);
  return reason === "" ? [] : [{ type: "finish", reason }];
}

function usageEvents(value: unknown): ReplyEvent[] {
  const counted = fields(value);
  if (count(counted.prompt_tokens) === undefined) {
    return [];
  }
  const usage: TokenUsage = {
    input: count(counted.prompt_tokens),
    cached: count(fields(counted.prompt_tokens_details).cached_tokens),
    output: count(counted.completion_tokens),
    reasoning: count(fields(counted.completion_tokens_details).reasoning_tokens),
  };
  return [{ type: "usage", usage }];
}
