// A conversation as the input items of the responses dialect. Reasoning is not sent back: its items
// belong to stored state that another channel does not have.

import { callsOf, type Media, type Part, sendable, type Turn, textOf } from "../model/conversation";
import type { Json } from "./json";

export function responsesInput(turns: readonly Turn[]): Json[] {
  return sendable(turns).flatMap((turn) =>
    turn.role === "user" ? userItems(turn) : replyItems(turn),
  );
}

function userItems(turn: Turn): Json[] {
  const results: Json[] = turn.parts.flatMap((part) =>
    part.type === "result"
      ? [{ type: "function_call_output", call_id: part.callId, output: part.text }]
      : [],
  );
  const content = turn.parts.flatMap(contentPart);
  return content.length === 0 ? results : [...results, { type: "message", role: "user", content }];
}

function replyItems(turn: Turn): Json[] {
  const text = textOf(turn);
  const said: Json[] =
    text === ""
      ? []
      : [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }];
  const calls = callsOf(turn).map((call) => ({
    type: "function_call",
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
  }));
  return [...said, ...calls];
}

function contentPart(part: Part): Json[] {
  if (part.type === "text") {
    return part.text === "" ? [] : [{ type: "input_text", text: part.text }];
  }
  return part.type === "media" ? [mediaPart(part.media)] : [];
}

function mediaPart({ mediaType, data, name }: Media): Json {
  const url = `data:${mediaType};base64,${data}`;
  if (mediaType.startsWith("image/")) {
    return { type: "input_image", image_url: url, detail: "auto" };
  }
  if (mediaType.startsWith("audio/")) {
    const format = /mpeg|mp3/.test(mediaType) ? "mp3" : "wav";
    return { type: "input_audio", input_audio: { data, format } };
  }
  return { type: "input_file", filename: name, file_data: url };
}
