// A prepared request as a TypeScript program with the vendor's own library. It has no type of its own in
// it, so Node.js runs it as it is.

import type { JsonObject } from "../request/json";
import type { PreparedRequest } from "../request/prepare";
import { geminiConfig } from "./gemini";
import { typescript } from "./literals";
import { MESSAGES_FIELDS, openaiMethod, split } from "./openai";

export function typescriptCode(request: PreparedRequest, base: string, key: string): string {
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

function keyOf(key: string): string {
  return key.startsWith("$") ? `process.env.${key.slice(1)}` : JSON.stringify(key);
}

/** The properties of one object, one a line; fields that the library's types lack are spread in. */
function properties(known: JsonObject, extra: JsonObject = {}): string {
  const lines = Object.entries(known).map(
    ([name, value]) => `  ${name}: ${typescript(value, 1)},\n`,
  );
  const spread = Object.keys(extra).length === 0 ? [] : [`  ...${typescript(extra, 1)},\n`];
  return [...lines, ...spread].join("");
}

function openaiClient(base: string, key: string): string {
  return `import OpenAI from "openai";\n\nconst client = new OpenAI({ baseURL: ${JSON.stringify(`${base}/v1`)}, apiKey: ${keyOf(key)} });\n\n`;
}

function openai(request: PreparedRequest, base: string, key: string): string {
  const method = openaiMethod(request.endpoint);
  if (method === undefined) {
    throw new Error(`no method calls ${request.endpoint}`);
  }
  const { named, extra } = split(request.body.value, method.known);
  const variable = request.isStream ? "stream" : "reply";
  const call = `await client.${method.name}({\n${properties(named, extra)}${files(request)}});\n`;
  const imports =
    request.body.kind === "form" ? 'import { createReadStream } from "node:fs";\n' : "";
  return `${imports}${openaiClient(base, key)}const ${variable} = ${call}${reading(request)}`;
}

function files({ body }: PreparedRequest): string {
  if (body.kind === "json" || body.files.length === 0) {
    return "";
  }
  const opened = body.files.map(({ file }) => `createReadStream(${JSON.stringify(file.name)})`);
  const name = body.files[0]?.name.replace("[]", "") ?? "file";
  return `  ${name}: ${opened.length === 1 ? opened[0] : `[${opened.join(", ")}]`},\n`;
}

const loop = (item: string, body: string) =>
  `for await (const ${item} of stream) {\n  ${body}\n}\n`;

const STREAMED: Partial<Record<string, string>> = {
  chat: loop("chunk", 'process.stdout.write(chunk.choices[0]?.delta.content ?? "");'),
  completions: loop("chunk", 'process.stdout.write(chunk.choices[0]?.text ?? "");'),
  responses: loop(
    "event",
    'if (event.type === "response.output_text.delta") process.stdout.write(event.delta);',
  ),
};

const WHOLE: Partial<Record<string, string>> = {
  chat: "console.log(reply.choices[0].message.content);\n",
  completions: "console.log(reply.choices[0].text);\n",
  responses: "console.log(reply.output_text);\n",
  embeddings:
    "for (const { embedding } of reply.data) console.log(embedding.length, embedding.slice(0, 8));\n",
  images: 'console.log(reply.data?.length, "images");\n',
  edits: 'console.log(reply.data?.length, "images");\n',
  speech:
    'await (await import("node:fs/promises")).writeFile("speech.audio", Buffer.from(await reply.arrayBuffer()));\n',
};

function reading({ endpoint, isStream }: PreparedRequest): string {
  return (isStream ? STREAMED : WHOLE)[endpoint] ?? "console.log(reply);\n";
}

function anthropic(request: PreparedRequest, base: string, key: string): string {
  const { named, extra } = split(request.body.value, MESSAGES_FIELDS);
  const client = `import Anthropic from "@anthropic-ai/sdk";\n\nconst client = new Anthropic({ baseURL: ${JSON.stringify(base)}, apiKey: ${keyOf(key)} });\n\n`;
  const call = `await client.messages.create({\n${properties(named, extra)}});\n`;
  return request.isStream
    ? `${client}const stream = ${call}${loop("event", 'if (event.type === "content_block_delta" && event.delta.type === "text_delta") process.stdout.write(event.delta.text);')}`
    : `${client}const reply = ${call}for (const block of reply.content) if (block.type === "text") console.log(block.text);\n`;
}

function gemini(request: PreparedRequest, base: string, key: string): string {
  const body = request.body.value;
  const client = `import { GoogleGenAI } from "@google/genai";\n\nconst client = new GoogleGenAI({ apiKey: ${keyOf(key)}, httpOptions: { baseUrl: ${JSON.stringify(base)} } });\n\n`;
  const values = properties({
    model: request.model,
    contents: body.contents ?? [],
    config: geminiConfig(body, "httpOptions", "extraBody"),
  });
  return request.isStream
    ? `${client}const stream = await client.models.generateContentStream({\n${values}});\n${loop("chunk", 'process.stdout.write(chunk.text ?? "");')}`
    : `${client}const reply = await client.models.generateContent({\n${values}});\nconsole.log(reply.text);\n`;
}

function rerank(request: PreparedRequest, base: string, key: string): string {
  const body = typescript(request.body.value, 1);
  return `${openaiClient(base, key)}const reply = await client.post("/rerank", {\n  body: ${body},\n});\nconsole.log(reply);\n`;
}

function realtime(request: PreparedRequest, base: string, key: string): string {
  const item = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello!" }] };
  return `import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";

const client = new OpenAI({ baseURL: ${JSON.stringify(`${base}/v1`)}, apiKey: ${keyOf(key)} });
const connection = new OpenAIRealtimeWS({ model: ${JSON.stringify(request.model)} }, client);

connection.socket.on("open", () => {
  connection.send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } });
  connection.send({ type: "conversation.item.create", item: ${typescript(item, 1)} });
  connection.send({ type: "response.create" });
});
connection.on("response.output_text.delta", (event) => process.stdout.write(event.delta));
connection.on("response.done", () => connection.close());
`;
}
