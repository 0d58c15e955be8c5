// The `@anthropic-ai/sdk` package's messages, on every upstream.

import assert from "node:assert/strict";
import { test } from "node:test";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { z } from "zod";
import { anthropic, askWeather, pixel, seen, upstreams, weather } from "./gateway.js";

const user = (content) => [{ role: "user", content }];
const tools = [{ name: weather.name, description: weather.description, input_schema: weather.schema }];
const text = (message) =>
  message.content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("");

for (const upstream of upstreams) {
  const model = `up-${upstream}`;
  const ask = (content, more = {}) => ({ model, max_tokens: 500, messages: user(content), ...more });

  test(`a whole message from ${upstream}`, async () => {
    const message = await anthropic.messages.create(ask("<<say Grüße, 世界>>"));
    assert.equal(text(message), "Grüße, 世界");
    assert.equal(message.stop_reason, "end_turn");
    assert.equal(message.usage.input_tokens, 40);
    assert.equal(message.usage.cache_read_input_tokens, 0);
  });

  test(`a streamed message from ${upstream}`, async () => {
    const stream = anthropic.messages.stream(ask("<<think Hm.>> <<say one two three>>"));
    let heard = "";
    stream.on("text", (piece) => {
      heard += piece;
    });
    const message = await stream.finalMessage();
    assert.equal(heard, "one two three");
    assert.equal(text(message), heard);
    assert.equal(message.usage.output_tokens, 12);
  });

  test(`a turn with a tool in messages on ${upstream}`, async () => {
    const first = await anthropic.messages.create(ask(askWeather, { tools }));
    assert.equal(first.stop_reason, "tool_use");
    const call = first.content.find((block) => block.type === "tool_use");
    assert.deepEqual(call.input, { city: "Oslo" });
    const result = { type: "tool_result", tool_use_id: call.id, content: "4 °C" };
    const messages = [...user(askWeather), { role: "assistant", content: first.content }, ...user([result])];
    const second = await anthropic.messages.create({ model, max_tokens: 500, messages, tools });
    assert.equal(text(second), "The tool said: 4 °C");
  });

  test(`an image in a message for ${upstream}`, async () => {
    const source = { type: "base64", media_type: "image/png", data: pixel };
    const content = [{ type: "text", text: "<<look>>" }, { type: "image", source }];
    assert.equal(text(await anthropic.messages.create(ask(content))), seen);
  });

  test(`a structured message from ${upstream}`, async () => {
    const Person = z.object({ name: z.string(), age: z.number().int() });
    const output_config = { format: zodOutputFormat(Person) };
    const question = ask('<<say {"name": "Ada", "age": 36}>>', { output_config });
    const message = await anthropic.messages.parse(question);
    assert.deepEqual(message.parsed_output, { name: "Ada", age: 36 });
  });

  test(`a count of tokens for ${upstream}`, async () => {
    const count = await anthropic.messages.countTokens({ model, messages: user("How long is this?") });
    assert.ok(count.input_tokens > 0);
  });
}
