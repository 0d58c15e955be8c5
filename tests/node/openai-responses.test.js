// The `openai` package's responses, on every upstream.

import assert from "node:assert/strict";
import { test } from "node:test";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { askWeather, openai, pixel, seen, upstreams, weather } from "./gateway.js";

const tools = [
  { type: "function", name: weather.name, description: weather.description, parameters: weather.schema, strict: false },
];

for (const upstream of upstreams) {
  const model = `up-${upstream}`;

  test(`a whole response from ${upstream}`, async () => {
    const answer = await openai.responses.create({ model, input: "<<say Grüße, 世界>>" });
    assert.equal(answer.output_text, "Grüße, 世界");
    assert.equal(answer.status, "completed");
    assert.equal(answer.usage.input_tokens, 40);
  });

  test(`a streamed response from ${upstream}`, async () => {
    const stream = openai.responses.stream({ model, input: "<<think Hm.>> <<say one two three>>" });
    let text = "";
    stream.on("response.output_text.delta", (event) => {
      text += event.delta;
    });
    const answer = await stream.finalResponse();
    assert.equal(text, "one two three");
    assert.equal(answer.output_text, text);
    assert.equal(answer.usage.output_tokens, 12);
  });

  test(`a turn with a tool in responses on ${upstream}`, async () => {
    const input = [{ role: "user", content: askWeather }];
    const first = await openai.responses.create({ model, input, tools, store: false });
    const call = first.output.find((item) => item.type === "function_call");
    assert.deepEqual(JSON.parse(call.arguments), { city: "Oslo" });
    const result = { type: "function_call_output", call_id: call.call_id, output: "4 °C" };
    const history = [...input, ...first.output, result];
    const second = await openai.responses.create({ model, input: history, tools, store: false });
    assert.equal(second.output_text, "The tool said: 4 °C");
  });

  test(`a turn that names the one before on ${upstream}`, async () => {
    const first = await openai.responses.create({ model, input: askWeather, tools });
    const call = first.output.find((item) => item.type === "function_call");
    const second = await openai.responses.create({
      model,
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: call.call_id, output: "5 °C" }],
      tools,
    });
    assert.equal(second.output_text, "The tool said: 5 °C");
  });

  test(`an image in responses for ${upstream}`, async () => {
    const image = { type: "input_image", image_url: `data:image/png;base64,${pixel}`, detail: "auto" };
    const content = [{ type: "input_text", text: "<<look>>" }, image];
    const answer = await openai.responses.create({ model, input: [{ role: "user", content }] });
    assert.equal(answer.output_text, seen);
  });

  test(`a structured response from ${upstream}`, async () => {
    const Person = z.object({ name: z.string(), age: z.number().int() });
    const answer = await openai.responses.parse({
      model,
      input: '<<say {"name": "Ada", "age": 36}>>',
      text: { format: zodTextFormat(Person, "person") },
    });
    assert.deepEqual(answer.output_parsed, { name: "Ada", age: 36 });
  });
}
