// A conversation as the messages of the messages dialect. Signed reasoning is sent back unchanged,
// because a vendor refuses a tool round without it; unsigned reasoning is left out.

import { type Media, type Part, sendable, type ToolCall, type Turn } from "../model/conversation";
import { isObject, type Json, type JsonObject, parseJson } from "./json";

export function messagesTurns(turns: readonly Turn[]): Json[] {
  return sendable(turns).map((turn) => {
    const [first, ...rest] = turn.parts;
    const content = first?.type === "text" && rest.length === 0 ? first.text : blocks(turn.parts);
    return { role: turn.role, content };
  });
}

/** Results of tools stand first, as the dialect demands. */
function blocks(parts: readonly Part[]): Json[] {
  const results = parts.filter((part) => part.type === "result");
  const others = parts.filter((part) => part.type !== "result");
  return [...results, ...others].flatMap(block);
}

function block(part: Part): Json[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "media":
      return [mediaBlock(part.media)];
    case "reasoning":
      return part.signature?.dialect === "messages"
        ? [{ type: "thinking", thinking: part.text, signature: part.signature.value }]
        : [];
    case "call":
      return [
        {
          type: "tool_use",
          id: part.call.id,
          name: part.call.name,
          input: argumentsObject(part.call),
        },
      ];
    case "result":
      return [{ type: "tool_result", tool_use_id: part.callId, content: part.text }];
  }
}

function mediaBlock({ mediaType, data, name }: Media): JsonObject {
  const source = { type: "base64", media_type: mediaType, data };
  return mediaType.startsWith("image/")
    ? { type: "image", source }
    : { type: "document", source, title: name };
}

/** The arguments as an object; a text that is none has no place in this dialect. */
export function argumentsObject(call: ToolCall): JsonObject {
  const value = parseJson(call.arguments);
  return isObject(value) ? value : {};
}
