// The reader of an endpoint's replies.

import type { EndpointId } from "../model/endpoints";
import { chatReader, completionsReader } from "./chat";
import type { ReplyReader } from "./events";
import { generateReader } from "./generate";
import { messagesReader } from "./messages";
import { responsesReader } from "./responses";

/** Undefined for endpoints whose answer is no text of a model. */
export function replyReader(id: EndpointId): ReplyReader | undefined {
  switch (id) {
    case "chat":
      return chatReader();
    case "completions":
      return completionsReader();
    case "messages":
      return messagesReader();
    case "responses":
      return responsesReader();
    case "generate":
      return generateReader();
    default:
      return undefined;
  }
}
