// A conversation as the contents of the generate-content dialect.

import { type Part, sendable, type Turn } from "../model/conversation";
import { isObject, type Json, type JsonObject, parseJson } from "./json";
import { argumentsObject } from "./messages";

export function generateContents(turns: readonly Turn[]): Json[] {
  return sendable(turns).map((turn) => ({
    role: turn.role === "user" ? "user" : "model",
    parts: turn.parts.flatMap(part),
  }));
}

function part(from: Part): Json[] {
  switch (from.type) {
    case "text":
      return from.text === "" ? [] : [{ text: from.text }];
    case "media":
      return [{ inlineData: { mimeType: from.media.mediaType, data: from.media.data } }];
    case "reasoning":
      return [];
    case "call": {
      const { id, name, signature } = from.call;
      const functionCall: JsonObject = {
        ...(id === "" ? {} : { id }),
        name,
        args: argumentsObject(from.call),
      };
      return signature?.dialect === "generate"
        ? [{ functionCall, thoughtSignature: signature.value }]
        : [{ functionCall }];
    }
    case "result": {
      const value = parseJson(from.text);
      const response = isObject(value) ? value : { output: from.text };
      const id: JsonObject = from.callId === "" ? {} : { id: from.callId };
      return [{ functionResponse: { ...id, name: from.name, response } }];
    }
  }
}
