// The request as it goes out: built once, sent as it is, and printed by the code panel. Nothing else in
// the playground decides what is in a body.

import { type Media, type Turn, textOf } from "../model/conversation";
import { chatDialect, type EndpointId, endpoint } from "../model/endpoints";
import { parametersOf, sentValue } from "../model/parameters";
import type { Settings } from "../model/settings";
import { chatMessages } from "./chat";
import { generateContents } from "./generate";
import { isObject, type JsonObject, merged, parseJson, setAt } from "./json";
import { messagesTurns } from "./messages";
import { writeOutput } from "./output";
import { responsesInput } from "./responses";
import { writeTools } from "./tools";

/** What a call is about, beside its settings. */
export interface CallInput {
  turns: readonly Turn[];
  /** The prompt, the text to speak or the query. */
  text: string;
  /** The texts to embed or to rank. */
  texts: readonly string[];
  files: readonly Media[];
}

export const NO_INPUT: CallInput = { turns: [], text: "", texts: [], files: [] };

/** A file of a form, under the name of its field. */
interface FormFile {
  name: string;
  file: Media;
}

type PreparedBody =
  | { kind: "json"; value: JsonObject }
  | { kind: "form"; value: JsonObject; files: readonly FormFile[] };

/** A conversation as input; endpoints without turns take its last message alone. */
export function conversationInput(turns: readonly Turn[]): CallInput {
  const last = turns.findLast(({ role }) => role === "user");
  return { ...NO_INPUT, turns, text: last === undefined ? "" : textOf(last) };
}

export interface PreparedRequest {
  endpoint: EndpointId;
  model: string;
  isStream: boolean;
  /** The one channel that it goes through; the token says so to the gateway, the request does not. */
  channel: number;
  path: string;
  /** Besides the one that carries the token. */
  headers: Readonly<Record<string, string>>;
  body: PreparedBody;
}

/** Builds the request that these settings and this input make. */
export function prepare(settings: Settings, input: CallInput): PreparedRequest {
  const { id, canStream, path } = endpoint(settings.endpoint);
  const isStream = canStream && settings.stream;
  const base = {
    endpoint: id,
    model: settings.model,
    isStream,
    channel: settings.channel,
    path: path(settings.model, isStream),
  };
  const value = merged(bodyOf(settings, input, isStream), extraBody(settings.extra) ?? {});
  if (id === "edits" || id === "transcription") {
    const files = input.files.map((file) => ({ name: fileField(id, input.files.length), file }));
    return { ...base, headers: {}, body: { kind: "form", value, files } };
  }
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (id === "messages") {
    headers["provider-version"] = "2023-06-01";
  }
  return { ...base, headers, body: { kind: "json", value } };
}

/** The body's exact text, in the form that people can read. */
export function bodyText(value: JsonObject): string {
  return JSON.stringify(value, null, 2);
}

/** The extra body that was typed; undefined when it is no JSON object. */
export function extraBody(text: string): JsonObject | undefined {
  const value = text.trim() === "" ? {} : parseJson(text);
  return isObject(value) ? value : undefined;
}

function bodyOf(settings: Settings, input: CallInput, isStream: boolean): JsonObject {
  const body = contentOf(settings, input);
  for (const parameter of parametersOf(settings.endpoint)) {
    const value = sentValue(parameter, settings);
    if (value !== undefined) {
      setAt(body, parameter.path, value);
    }
  }
  const dialect = chatDialect(settings.endpoint);
  if (dialect !== undefined) {
    askForReasoning(body, settings);
    writeStop(body, settings);
    writeOutput(body, dialect, settings);
    writeTools(body, dialect, settings);
  } else if (settings.endpoint === "completions") {
    writeStop(body, settings);
  }
  if (isStream && settings.endpoint !== "generate") {
    body.stream = true;
    if (settings.endpoint === "chat" || settings.endpoint === "completions") {
      body.stream_options = { include_usage: true };
    }
  }
  return body;
}

function contentOf(settings: Settings, input: CallInput): JsonObject {
  const { model, system } = settings;
  switch (settings.endpoint) {
    case "chat":
      return { model, messages: chatMessages(input.turns, system) };
    case "responses":
      return {
        model,
        ...(system === "" ? {} : { instructions: system }),
        input: responsesInput(input.turns),
      };
    case "messages":
      return { model, ...(system === "" ? {} : { system }), messages: messagesTurns(input.turns) };
    case "generate":
      return {
        ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
        contents: generateContents(input.turns),
      };
    case "embeddings":
      return { model, input: input.texts.filter(isFilled) };
    case "rerank":
      return { model, query: input.text, documents: input.texts.filter(isFilled) };
    case "speech":
      return { model, input: input.text };
    case "transcription":
      return { model };
    case "completions":
    case "images":
    case "edits":
      return { model, prompt: input.text };
    case "realtime":
      return {};
  }
}

/** An empty field of a list is no text. */
function isFilled(text: string): boolean {
  return text.trim() !== "";
}

/** Where a person sets how much the model reasons, the reasoning is asked for as well. */
function askForReasoning(body: JsonObject, { endpoint: id, parameters }: Settings): void {
  if (id === "responses" && parameters.effort?.send === true) {
    setAt(body, ["reasoning", "summary"], "auto");
  }
  if (parameters.thinkingBudget?.send === true) {
    if (id === "messages") {
      setAt(body, ["thinking", "type"], "enabled");
    } else if (id === "generate") {
      setAt(body, ["generationConfig", "thinkingConfig", "includeThoughts"], true);
    }
  }
}

const STOP_PATHS: Partial<Record<EndpointId, readonly string[]>> = {
  chat: ["stop"],
  completions: ["stop"],
  messages: ["stop_sequences"],
  generate: ["generationConfig", "stopSequences"],
};

/** Whether an endpoint takes stop sequences at all. */
export function takesStop(id: EndpointId): boolean {
  return STOP_PATHS[id] !== undefined;
}

function writeStop(body: JsonObject, settings: Settings): void {
  const path = STOP_PATHS[settings.endpoint];
  if (path !== undefined && settings.stop.length > 0) {
    setAt(body, path, [...settings.stop]);
  }
}

function fileField(id: EndpointId, count: number): string {
  if (id === "transcription") {
    return "file";
  }
  return count === 1 ? "image" : "image[]";
}

/** The text fields of a form, each as the text that is sent. */
export function formFields(value: JsonObject): [name: string, text: string][] {
  return Object.entries(value).map(([name, field]) => [
    name,
    typeof field === "string" ? field : JSON.stringify(field),
  ]);
}
