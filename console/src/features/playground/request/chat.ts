// A conversation as the messages of the chat dialect.

import { callsOf, type Media, type Part, sendable, type Turn } from "../model/conversation";
import type { Json, JsonObject } from "./json";

export function chatMessages(turns: readonly Turn[], system: string): Json[] {
  const messages: Json[] = system === "" ? [] : [{ role: "system", content: system }];
  for (const turn of sendable(turns)) {
    messages.push(...(turn.role === "user" ? userMessages(turn) : [assistantMessage(turn)]));
  }
  return messages;
}

/** Results of tools are messages of their own, before what the user adds. */
function userMessages(turn: Turn): Json[] {
  const messages: Json[] = turn.parts.flatMap((part) =>
    part.type === "result" ? [{ role: "tool", tool_call_id: part.callId, content: part.text }] : [],
  );
  const content = turn.parts.flatMap(contentPart);
  if (content.length > 0) {
    messages.push({ role: "user", content: onlyText(turn.parts) ?? content });
  }
  return messages;
}

function assistantMessage(turn: Turn): JsonObject {
  const text = turn.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = callsOf(turn);
  const message: JsonObject = { role: "assistant", content: text === "" ? null : text };
  if (calls.length > 0) {
    message.tool_calls = calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments },
    }));
  }
  return message;
}

function onlyText(parts: readonly Part[]): string | undefined {
  const rest = parts.filter((part) => part.type !== "result");
  const [first] = rest;
  return rest.length === 1 && first?.type === "text" ? first.text : undefined;
}

function contentPart(part: Part): Json[] {
  if (part.type === "text") {
    return part.text === "" ? [] : [{ type: "text", text: part.text }];
  }
  return part.type === "media" ? [mediaPart(part.media)] : [];
}

function mediaPart({ mediaType, data, name }: Media): Json {
  if (mediaType.startsWith("image/")) {
    return { type: "image_url", image_url: { url: `data:${mediaType};base64,${data}` } };
  }
  if (mediaType.startsWith("audio/")) {
    const format = /mpeg|mp3/.test(mediaType) ? "mp3" : "wav";
    return { type: "input_audio", input_audio: { data, format } };
  }
  return { type: "file", file: { filename: name, file_data: `data:${mediaType};base64,${data}` } };
}
