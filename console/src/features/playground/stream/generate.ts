// Replies of the generate-content dialect: every piece is a whole reply with only what is new.

import type { Signature, TokenUsage } from "../model/conversation";
import type { ReplyEvent, ReplyReader } from "./events";
import { count, failureOf, fields, list, text } from "./fields";

export function generateReader(): ReplyReader {
  // Calls have no number of their own on the wire.
  let calls = 0;
  const read = (data: unknown): ReplyEvent[] => {
    const { candidates, usageMetadata, promptFeedback, error } = fields(data);
    if (error !== undefined) {
      return [{ type: "failure", failure: failureOf(error) }];
    }
    const candidate = fields(list(candidates)[0]);
    const parts = list(fields(candidate.content).parts).flatMap((part) =>
      partEvents(part, () => calls++),
    );
    const reason = text(candidate.finishReason) || text(fields(promptFeedback).blockReason);
    return [
      ...parts,
      ...usageEvents(usageMetadata),
      ...(reason === "" ? [] : [{ type: "finish" as const, reason }]),
    ];
  };
  return { event: read, whole: read };
}

function partEvents(value: unknown, nextCall: () => number): ReplyEvent[] {
  const part = fields(value);
  const said = text(part.text);
  if (said !== "") {
    return [{ type: part.thought === true ? "reasoning" : "text", text: said }];
  }
  if (part.functionCall !== undefined) {
    const { id, name, args } = fields(part.functionCall);
    const key = String(nextCall());
    const signature = signatureOf(part.thoughtSignature);
    return [
      { type: "call", key, id: text(id), name: text(name), signature },
      { type: "arguments", key, text: JSON.stringify(args ?? {}) },
    ];
  }
  const { mimeType, data } = fields(part.inlineData);
  return text(data) === ""
    ? []
    : [{ type: "media", media: { mediaType: text(mimeType), data: text(data), name: "" } }];
}

function signatureOf(value: unknown): Signature | undefined {
  return text(value) === "" ? undefined : { dialect: "generate", value: text(value) };
}

/** The dialect counts thoughts beside the output; here the output includes them. */
function usageEvents(value: unknown): ReplyEvent[] {
  const counted = fields(value);
  if (count(counted.promptTokenCount) === undefined) {
    return [];
  }
  const thoughts = count(counted.thoughtsTokenCount);
  const usage: TokenUsage = {
    input: count(counted.promptTokenCount),
    cached: count(counted.cachedContentTokenCount),
    output: (count(counted.candidatesTokenCount) ?? 0) + (thoughts ?? 0),
    reasoning: thoughts,
  };
  return [{ type: "usage", usage }];
}
