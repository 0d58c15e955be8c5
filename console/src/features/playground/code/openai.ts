// Which method of the OpenAI library makes an endpoint's call, and which fields it knows by name; the
// rest goes along as the library's extra body.

import type { EndpointId } from "../model/endpoints";
import type { JsonObject } from "../request/json";

export interface Method {
  /** In Python and in TypeScript. */
  name: string;
  known: ReadonlySet<string>;
}

const SAMPLING =
  "model stream temperature top_p stop seed presence_penalty frequency_penalty n user logit_bias";

const words = (text: string) => new Set(text.split(" "));

const METHODS: Partial<Record<EndpointId, Method>> = {
  chat: {
    name: "chat.completions.create",
    known: words(
      `${SAMPLING} messages max_completion_tokens max_tokens stream_options tools tool_choice response_format reasoning_effort verbosity logprobs top_logprobs parallel_tool_calls metadata store service_tier`,
    ),
  },
  responses: {
    name: "responses.create",
    known: words(
      "model stream temperature top_p input instructions max_output_tokens tools tool_choice text reasoning parallel_tool_calls metadata store service_tier include previous_response_id truncation user",
    ),
  },
  completions: {
    name: "completions.create",
    known: words(`${SAMPLING} prompt max_tokens stream_options suffix echo best_of logprobs`),
  },
  embeddings: {
    name: "embeddings.create",
    known: words("model input dimensions encoding_format user"),
  },
  images: {
    name: "images.generate",
    known: words("model prompt n size quality background output_format response_format style user"),
  },
  edits: {
    name: "images.edit",
    known: words("model prompt n size quality background output_format response_format user"),
  },
  speech: {
    name: "audio.speech.create",
    known: words("model input voice response_format speed instructions"),
  },
  transcription: {
    name: "audio.transcriptions.create",
    known: words("model language prompt response_format temperature"),
  },
};

export function openaiMethod(id: EndpointId): Method | undefined {
  return METHODS[id];
}

/** The body's fields that the method knows, and the others. */
export function split(
  body: JsonObject,
  known: ReadonlySet<string>,
): { named: JsonObject; extra: JsonObject } {
  const entries = Object.entries(body);
  return {
    named: Object.fromEntries(entries.filter(([key]) => known.has(key))),
    extra: Object.fromEntries(entries.filter(([key]) => !known.has(key))),
  };
}

/** The fields that the messages method of the Anthropic library knows. */
export const MESSAGES_FIELDS = words(
  "model messages max_tokens system temperature top_p top_k stop_sequences stream tools tool_choice thinking metadata service_tier",
);
