import { describe, expect, it } from "vitest";
import type { EndpointId } from "../model/endpoints";
import { type GrowingReply, ReplyFold } from "./fold";
import { replyReader } from "./reader";

function streamed(endpoint: EndpointId, events: readonly unknown[]): GrowingReply {
  const fold = new ReplyFold();
  const reader = replyReader(endpoint);
  events.forEach((data, index) => {
    for (const event of reader?.event(data) ?? []) {
      fold.add(event, index);
    }
  });
  return fold.snapshot();
}

function whole(endpoint: EndpointId, body: unknown): GrowingReply {
  const fold = new ReplyFold();
  for (const event of replyReader(endpoint)?.whole(body) ?? []) {
    fold.add(event, 0);
  }
  return fold.snapshot();
}

const CALL = {
  type: "call",
  call: { id: "c1", name: "get", arguments: '{"a":1}', signature: undefined },
};
const USAGE = { input: 12, cached: 2, output: 5, reasoning: 3 };

describe("the same reply in each dialect", () => {
  it("chat", () => {
    const reply = streamed("chat", [
      { choices: [{ delta: { role: "assistant", content: "" } }] },
      { choices: [{ delta: { reasoning_content: "hm" } }] },
      { choices: [{ delta: { content: "He" } }] },
      { choices: [{ delta: { content: "llo" } }] },
      {
        choices: [
          {
            delta: {
              tool_calls: [{ index: 0, id: "c1", function: { name: "get", arguments: "" } }],
            },
          },
        ],
      },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] } }] },
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      {
        choices: [],
        usage: {
          prompt_tokens: 12,
          completion_tokens: 5,
          prompt_tokens_details: { cached_tokens: 2 },
          completion_tokens_details: { reasoning_tokens: 3 },
        },
      },
    ]);
    expect(reply.parts).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Hello" },
      CALL,
    ]);
    expect(reply).toMatchObject({
      finish: "tool_calls",
      usage: USAGE,
      firstTokenMs: 1,
      reasoningFromMs: 1,
      reasoningToMs: 2,
    });
  });

  it("messages", () => {
    const reply = streamed("messages", [
      {
        type: "message_start",
        message: { usage: { input_tokens: 10, cache_read_input_tokens: 2, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hello" } },
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "c1", name: "get", input: {} },
      },
      {
        type: "content_block_delta",
        index: 2,
        delta: { type: "input_json_delta", partial_json: '{"a":1}' },
      },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use" },
        usage: { output_tokens: 5, output_tokens_details: { thinking_tokens: 3 } },
      },
      { type: "message_stop" },
    ]);
    expect(reply.parts).toEqual([
      { type: "reasoning", text: "hm", signature: { dialect: "messages", value: "s" } },
      { type: "text", text: "Hello" },
      CALL,
    ]);
    expect(reply).toMatchObject({ finish: "tool_use", usage: USAGE });
  });

  it("responses", () => {
    const reply = streamed("responses", [
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "hm" },
      { type: "response.output_text.delta", output_index: 1, delta: "Hello" },
      {
        type: "response.output_item.added",
        output_index: 2,
        item: { type: "function_call", call_id: "c1", name: "get" },
      },
      { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"a":1}' },
      {
        type: "response.completed",
        response: {
          status: "completed",
          usage: {
            input_tokens: 12,
            input_tokens_details: { cached_tokens: 2 },
            output_tokens: 5,
            output_tokens_details: { reasoning_tokens: 3 },
          },
        },
      },
    ]);
    expect(reply.parts).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Hello" },
      CALL,
    ]);
    expect(reply).toMatchObject({ finish: "completed", usage: USAGE });
  });

  it("generate content", () => {
    const piece = (part: unknown) => ({ candidates: [{ content: { parts: [part] } }] });
    const reply = streamed("generate", [
      piece({ text: "hm", thought: true }),
      piece({ text: "Hello" }),
      piece({ functionCall: { id: "c1", name: "get", args: { a: 1 } }, thoughtSignature: "c2ln" }),
      {
        candidates: [{ finishReason: "STOP" }],
        usageMetadata: {
          promptTokenCount: 12,
          cachedContentTokenCount: 2,
          candidatesTokenCount: 2,
          thoughtsTokenCount: 3,
        },
      },
    ]);
    expect(reply.parts).toMatchObject([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Hello" },
      {
        type: "call",
        call: { arguments: '{"a":1}', signature: { dialect: "generate", value: "c2ln" } },
      },
    ]);
    expect(reply).toMatchObject({ finish: "STOP", usage: USAGE });
  });
});

describe("a reply that comes whole", () => {
  it("reads like its stream", () => {
    expect(
      whole("chat", { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] }),
    ).toMatchObject({
      parts: [{ type: "text", text: "Hi" }],
      finish: "stop",
    });
    expect(
      whole("messages", {
        content: [{ type: "text", text: "Hi" }],
        stop_reason: "end_turn",
        usage: {},
      }),
    ).toMatchObject({ parts: [{ type: "text", text: "Hi" }], finish: "end_turn" });
    expect(
      whole("responses", {
        status: "completed",
        output: [{ type: "message", content: [{ text: "Hi" }] }],
      }),
    ).toMatchObject({ parts: [{ type: "text", text: "Hi" }], finish: "completed" });
    expect(
      whole("completions", { choices: [{ text: "Hi", finish_reason: "stop" }] }).parts,
    ).toEqual([{ type: "text", text: "Hi" }]);
  });
});

describe("a failure inside a stream", () => {
  it.each([
    ["chat", { error: { message: "cut", type: "server_error", param: "", code: "x" } }],
    ["messages", { type: "error", error: { type: "server_error", message: "cut" } }],
    ["responses", { type: "response.failed", response: { error: { code: "x", message: "cut" } } }],
    ["generate", { error: { code: 503, message: "cut", status: "UNAVAILABLE" } }],
  ] as const)("is read in %s, and what came before stays", (endpoint, event) => {
    const reply = streamed(endpoint, [event]);
    expect(reply.failure?.message).toBe("cut");
    expect(reply.finish).toBeUndefined();
  });
});
