import { describe, expect, it } from "vitest";
import type { Turn } from "../model/conversation";
import { limitProblems } from "../model/parameters";
import { DEFAULT_SETTINGS, readSettings, type Settings, writeSettings } from "../model/settings";
import { NO_INPUT, prepare } from "./prepare";

const settings = (change: Partial<Settings>): Settings => ({
  ...DEFAULT_SETTINGS,
  model: "m",
  ...change,
});

const TURNS: Turn[] = [
  {
    id: "1",
    role: "user",
    parts: [
      { type: "text", text: "Weather?" },
      { type: "media", media: { mediaType: "image/png", data: "AAAA", name: "a.png" } },
    ],
  },
  {
    id: "2",
    role: "assistant",
    parts: [
      { type: "reasoning", text: "hm", signature: { dialect: "messages", value: "sig" } },
      {
        type: "call",
        call: {
          id: "c1",
          name: "get",
          arguments: '{"a":1}',
          signature: { dialect: "generate", value: "c2ln" },
        },
      },
    ],
  },
  { id: "3", role: "user", parts: [{ type: "result", callId: "c1", name: "get", text: "4 C" }] },
];
const TOOLS = '[{"name":"get","parameters":{"type":"object"}}]';

const bodyOf = (change: Partial<Settings>, turns = TURNS) =>
  prepare(settings(change), { ...NO_INPUT, turns }).body.value;

describe("a conversation", () => {
  it("becomes messages of the chat dialect, results as messages of their own", () => {
    expect(bodyOf({ system: "Be brief." })).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Weather?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "get", arguments: '{"a":1}' } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "4 C" },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("becomes input items of the responses dialect", () => {
    expect(bodyOf({ endpoint: "responses", stream: false }).input).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Weather?" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
        ],
      },
      { type: "function_call", call_id: "c1", name: "get", arguments: '{"a":1}' },
      { type: "function_call_output", call_id: "c1", output: "4 C" },
    ]);
  });

  it("becomes blocks of the messages dialect, signed reasoning included", () => {
    expect(bodyOf({ endpoint: "messages" }).messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Weather?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "sig" },
          { type: "tool_use", id: "c1", name: "get", input: { a: 1 } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "4 C" }] },
    ]);
  });

  it("becomes contents of the generate-content dialect, with the model in the path", () => {
    const request = prepare(settings({ endpoint: "generate", model: "a/b" }), {
      ...NO_INPUT,
      turns: TURNS,
    });
    expect(request.path).toBe("/v1beta/models/a%2Fb:streamGenerateContent?alt=sse");
    expect(request.body.value.contents).toEqual([
      {
        role: "user",
        parts: [{ text: "Weather?" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }],
      },
      {
        role: "model",
        parts: [
          { functionCall: { id: "c1", name: "get", args: { a: 1 } }, thoughtSignature: "c2ln" },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "get", response: { output: "4 C" } } }],
      },
    ]);
  });

  it("leaves out replies that brought nothing", () => {
    const turns: Turn[] = [
      { id: "1", role: "user", parts: [{ type: "text", text: "Hi" }] },
      { id: "2", role: "assistant", parts: [] },
    ];
    expect(bodyOf({}, turns).messages).toEqual([{ role: "user", content: "Hi" }]);
  });
});

describe("settings", () => {
  it("send a parameter or leave it out", () => {
    const parameters = {
      temperature: { send: true, value: 0.5 },
      topP: { send: false, value: 0.5 },
    };
    expect(bodyOf({ parameters })).toMatchObject({ temperature: 0.5 });
    expect(bodyOf({ parameters })).not.toHaveProperty("top_p");
    expect(bodyOf({ endpoint: "generate", parameters }).generationConfig).toEqual({
      temperature: 0.5,
    });
  });

  it("always send what an endpoint requires", () => {
    expect(bodyOf({ endpoint: "messages" })).toMatchObject({ max_tokens: 1024 });
  });

  it("name values outside the endpoint's limits", () => {
    const parameters = {
      temperature: { send: true, value: 1.1 },
      maxTokens: { send: true, value: 0 },
    };
    expect(limitProblems(settings({ endpoint: "messages", parameters }))).toEqual([
      { id: "maxTokens", min: 1, max: undefined },
      { id: "temperature", min: 0, max: 1 },
    ]);
    expect(
      limitProblems(settings({ parameters: { temperature: { send: true, value: 1.1 } } })),
    ).toEqual([]);
  });

  it("write tools and schemas in each dialect's form", () => {
    const asked = {
      tools: TOOLS,
      output: "schema",
      schema: '{"type":"object"}',
      toolChoice: "required",
    } as const;
    expect(bodyOf(asked)).toMatchObject({
      tools: [{ type: "function", function: { name: "get", parameters: { type: "object" } } }],
      tool_choice: "required",
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: { type: "object" } },
      },
    });
    expect(bodyOf({ ...asked, endpoint: "responses" })).toMatchObject({
      tools: [{ type: "function", name: "get", strict: false }],
      text: { format: { type: "json_schema", name: "answer" } },
    });
    expect(bodyOf({ ...asked, endpoint: "messages" })).toMatchObject({
      tools: [{ name: "get", input_schema: { type: "object" } }],
      tool_choice: { type: "any" },
      output_config: { format: { type: "json_schema" } },
    });
    expect(bodyOf({ ...asked, endpoint: "generate" })).toMatchObject({
      tools: [
        { functionDeclarations: [{ name: "get", parametersJsonSchema: { type: "object" } }] },
      ],
      toolConfig: { functionCallingConfig: { mode: "ANY" } },
      generationConfig: {
        responseMimeType: "application/json",
        responseJsonSchema: { type: "object" },
      },
    });
  });

  it("say nothing of a channel in the request itself", () => {
    const request = prepare(settings({ channel: 7 }), NO_INPUT);
    expect(request.channel).toBe(7);
    const { channel: _, ...sent } = request;
    const { channel: __, ...usual } = prepare(settings({}), NO_INPUT);
    expect(sent).toEqual(usual);
  });

  it("merge the extra body last, objects into objects", () => {
    expect(bodyOf({ extra: '{"stream_options":{"x":1},"model":"other"}' })).toMatchObject({
      model: "other",
      stream_options: { include_usage: true, x: 1 },
    });
  });

  it("survive the address, and fall back field by field", () => {
    const some = settings({ endpoint: "rerank", stop: ["a"], stream: false, channel: 7 });
    expect(readSettings(writeSettings(some))).toEqual(some);
    const wrong = { endpoint: "nonsense", model: "m", stop: 7, channel: -1 };
    expect(readSettings(wrong)).toEqual(settings({}));
  });
});

it("files make a form", () => {
  const file = { mediaType: "audio/wav", data: "AAAA", name: "a.wav" };
  const request = prepare(settings({ endpoint: "transcription" }), { ...NO_INPUT, files: [file] });
  expect(request.body).toEqual({
    kind: "form",
    value: { model: "m" },
    files: [{ name: "file", file }],
  });
});
