// The `openai` package's chat completions, on every upstream.

import assert from "node:assert/strict";
import { test } from "node:test";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { askWeather, openai, pixel, seen, upstreams, weather } from "./gateway.js";

const user = (content) => [{ role: "user", content }];
const tools = [
  { type: "function", function: { name: weather.name, description: weather.description, parameters: weather.schema } },
];

for (const upstream of upstreams) {
  const model = `up-${upstream}`;

  test(`a whole chat answer from ${upstream}`, async () => {
    const answer = await openai.chat.completions.create({ model, messages: user("<<say Grüße, 世界>>") });
    assert.equal(answer.choices[0].message.content, "Grüße, 世界");
    assert.equal(answer.choices[0].finish_reason, "stop");
    assert.equal(answer.usage.prompt_tokens, 40);
    assert.equal(answer.usage.completion_tokens, 12);
  });

  test(`a streamed chat answer from ${upstream}`, async () => {
    const stream = await openai.chat.completions.create({
      model,
      messages: user("<<think Hm.>> <<say one two three>>"),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    assert.equal(text, "one two three");
    assert.equal(usage.completion_tokens, 12);
  });

  test(`a chat turn with a tool on ${upstream}`, async () => {
    const messages = user(askWeather);
    const first = await openai.chat.completions.create({ model, messages, tools });
    assert.equal(first.choices[0].finish_reason, "tool_calls");
    const [call] = first.choices[0].message.tool_calls;
    assert.deepEqual(JSON.parse(call.function.arguments), { city: "Oslo" });
    const results = [{ role: "tool", tool_call_id: call.id, content: "4 °C" }];
    const history = [...messages, first.choices[0].message, ...results];
    const second = await openai.chat.completions.create({ model, messages: history, tools });
    assert.equal(second.choices[0].message.content, "The tool said: 4 °C");
  });

  test(`the chat stream helper runs a tool on ${upstream}`, async () => {
    const runner = openai.chat.completions.runTools({
      model,
      messages: user(askWeather),
      stream: true,
      tools: [
        {
          type: "function",
          function: {
            name: weather.name,
            description: weather.description,
            parameters: weather.schema,
            parse: JSON.parse,
            function: ({ city }) => `rain in ${city}`,
          },
        },
      ],
    });
    assert.equal(await runner.finalContent(), "The tool said: rain in Oslo");
  });

  test(`an image in a chat for ${upstream}`, async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } };
    const content = [{ type: "text", text: "<<look>>" }, image];
    const answer = await openai.chat.completions.create({ model, messages: user(content) });
    assert.equal(answer.choices[0].message.content, seen);
  });

  test(`a structured chat answer from ${upstream}`, async () => {
    const Person = z.object({ name: z.string(), age: z.number().int() });
    const answer = await openai.chat.completions.parse({
      model,
      messages: user('<<say {"name": "Ada", "age": 36}>>'),
      response_format: zodResponseFormat(Person, "person"),
    });
    assert.deepEqual(answer.choices[0].message.parsed, { name: "Ada", age: 36 });
  });
}
