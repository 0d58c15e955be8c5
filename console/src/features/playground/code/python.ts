// A prepared request as a Python program with the vendor's own library.

import type { JsonObject } from "../request/json";
import type { PreparedRequest } from "../request/prepare";
import { geminiConfig } from "./gemini";
import { python } from "./literals";
import { MESSAGES_FIELDS, openaiMethod, split } from "./openai";

export function pythonCode(request: PreparedRequest, base: string, key: string): string {
  switch (request.endpoint) {
    case "messages":
      return anthropic(request, base, key);
    case "generate":
      return gemini(request, base, key);
    case "rerank":
      return rerank(request, base, key);
    case "realtime":
      return realtime(request, base, key);
    default:
      return openai(request, base, key);
  }
}

/** The key itself once one was inserted, else the variable that holds it. */
function keyOf(key: string): string {
  return key.startsWith("$") ? `os.environ[${JSON.stringify(key.slice(1))}]` : JSON.stringify(key);
}

function head(key: string, library: string, client: string): string {
  const os = key.startsWith("$") ? "import os\n\n" : "";
  return `${os}${library}\n\n${client}\n\n`;
}

/** Keyword arguments, one a line. */
function named(values: JsonObject): string {
  return Object.entries(values)
    .map(([name, value]) => `    ${name}=${python(value, 1)},\n`)
    .join("");
}

function withExtra(named_: string, extra: JsonObject): string {
  return Object.keys(extra).length === 0
    ? named_
    : `${named_}    extra_body=${python(extra, 1)},\n`;
}

function openaiClient(base: string, key: string): string {
  return head(
    key,
    "from openai import OpenAI",
    `client = OpenAI(base_url=${JSON.stringify(`${base}/v1`)}, api_key=${keyOf(key)})`,
  );
}

function openai(request: PreparedRequest, base: string, key: string): string {
  const method = openaiMethod(request.endpoint);
  if (method === undefined) {
    throw new Error(`no method calls ${request.endpoint}`);
  }
  const { named: known, extra } = split(request.body.value, method.known);
  const call = `client.${method.name}(\n${withExtra(named(known) + files(request), extra)})\n`;
  const variable = request.isStream ? "stream" : "reply";
  return `${openaiClient(base, key)}${variable} = ${call}${reading(request)}`;
}

function files({ body }: PreparedRequest): string {
  if (body.kind === "json" || body.files.length === 0) {
    return "";
  }
  const opened = body.files.map(({ file }) => `open(${JSON.stringify(file.name)}, "rb")`);
  const name = body.files[0]?.name.replace("[]", "") ?? "file";
  return `    ${name}=${opened.length === 1 ? opened[0] : `[${opened.join(", ")}]`},\n`;
}

const STREAMED = {
  chat: 'for chunk in stream:\n    if chunk.choices:\n        print(chunk.choices[0].delta.content or "", end="", flush=True)\n',
  completions:
    'for chunk in stream:\n    if chunk.choices:\n        print(chunk.choices[0].text, end="", flush=True)\n',
  responses:
    'for event in stream:\n    if event.type == "response.output_text.delta":\n        print(event.delta, end="", flush=True)\n',
};

const WHOLE = {
  chat: "print(reply.choices[0].message.content)\n",
  completions: "print(reply.choices[0].text)\n",
  responses: "print(reply.output_text)\n",
  embeddings: "for item in reply.data:\n    print(len(item.embedding), item.embedding[:8])\n",
  images: 'print(len(reply.data), "images")\n',
  edits: 'print(len(reply.data), "images")\n',
  speech: 'reply.write_to_file("speech.audio")\n',
  transcription: 'print(getattr(reply, "text", reply))\n',
};

function reading({ endpoint, isStream }: PreparedRequest): string {
  const texts: Partial<Record<string, string>> = isStream ? STREAMED : WHOLE;
  return texts[endpoint] ?? "print(reply)\n";
}

function anthropic(request: PreparedRequest, base: string, key: string): string {
  const { named: known, extra } = split(request.body.value, MESSAGES_FIELDS);
  const client = head(
    key,
    "from anthropic import Anthropic",
    `client = Anthropic(base_url=${JSON.stringify(base)}, api_key=${keyOf(key)})`,
  );
  const call = `client.messages.create(\n${withExtra(named(known), extra)})\n`;
  return request.isStream
    ? `${client}stream = ${call}for event in stream:\n    if event.type == "content_block_delta" and event.delta.type == "text_delta":\n        print(event.delta.text, end="", flush=True)\n`
    : `${client}reply = ${call}print("".join(block.text for block in reply.content if block.type == "text"))\n`;
}

function gemini(request: PreparedRequest, base: string, key: string): string {
  const body = request.body.value;
  const client = head(
    key,
    "from google import genai",
    `client = genai.Client(api_key=${keyOf(key)}, http_options={"base_url": ${JSON.stringify(base)}})`,
  );
  const values = named({
    model: request.model,
    contents: body.contents ?? [],
    config: geminiConfig(body, "http_options", "extra_body"),
  });
  return request.isStream
    ? `${client}stream = client.models.generate_content_stream(\n${values})\nfor chunk in stream:\n    print(chunk.text or "", end="", flush=True)\n`
    : `${client}reply = client.models.generate_content(\n${values})\nprint(reply.text)\n`;
}

/** The library has no method for it, but a way to call any path. */
function rerank(request: PreparedRequest, base: string, key: string): string {
  const body = python(request.body.value, 1);
  return `${openaiClient(base, key)}reply = client.post(\n    "/rerank",\n    body=${body},\n    cast_to=object,\n)\nfor result in reply["results"]:\n    print(result["index"], result["relevance_score"])\n`;
}

function realtime(request: PreparedRequest, base: string, key: string): string {
  const item = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello!" }] };
  return `${openaiClient(base, key)}with client.realtime.connect(model=${JSON.stringify(request.model)}) as connection:
    connection.session.update(session={"type": "realtime", "output_modalities": ["text"]})
    connection.conversation.item.create(item=${python(item, 1)})
    connection.response.create()
    for event in connection:
        if event.type == "response.output_text.delta":
            print(event.delta, end="", flush=True)
        elif event.type == "response.done":
            break
`;
}
