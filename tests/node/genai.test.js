// The `@google/genai` package's content generation, on every upstream.

import assert from "node:assert/strict";
import { test } from "node:test";
import { askWeather, genai, pixel, seen, upstreams, weather } from "./gateway.js";

const { name, description, schema } = weather;
const config = { tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }] };

for (const upstream of upstreams) {
  const model = `up-${upstream}`;

  test(`whole content from ${upstream}`, async () => {
    const answer = await genai.models.generateContent({ model, contents: "<<say Grüße, 世界>>" });
    assert.equal(answer.text, "Grüße, 世界");
    assert.equal(answer.candidates[0].finishReason, "STOP");
    assert.equal(answer.usageMetadata.promptTokenCount, 40);
  });

  test(`streamed content from ${upstream}`, async () => {
    const stream = await genai.models.generateContentStream({
      model,
      contents: "<<think Hm.>> <<say one two three>>",
    });
    let text = "";
    let usage;
    for await (const chunk of stream) {
      text += chunk.text ?? "";
      usage = chunk.usageMetadata ?? usage;
    }
    assert.equal(text, "one two three");
    assert.equal(usage.candidatesTokenCount, 12);
  });

  test(`a turn with a function on ${upstream}`, async () => {
    const chat = genai.chats.create({ model, config });
    const first = await chat.sendMessage({ message: askWeather });
    const [call] = first.functionCalls;
    assert.deepEqual(call.args, { city: "Oslo" });
    const functionResponse = { id: call.id, name: call.name, response: { output: "4 °C" } };
    const second = await chat.sendMessage({ message: [{ functionResponse }] });
    assert.equal(second.text, "The tool said: 4 °C");
  });

  test(`an image in content for ${upstream}`, async () => {
    const inlineData = { mimeType: "image/png", data: pixel };
    const contents = [{ role: "user", parts: [{ text: "<<look>>" }, { inlineData }] }];
    const answer = await genai.models.generateContent({ model, contents });
    assert.equal(answer.text, seen);
  });

  test(`structured content from ${upstream}`, async () => {
    const properties = { name: { type: "string" }, age: { type: "integer" } };
    const responseJsonSchema = { type: "object", properties, required: ["name", "age"] };
    const answer = await genai.models.generateContent({
      model,
      contents: '<<say {"name": "Ada", "age": 36}>>',
      config: { responseMimeType: "application/json", responseJsonSchema },
    });
    assert.deepEqual(JSON.parse(answer.text), { name: "Ada", age: 36 });
  });

  test(`a count of content tokens for ${upstream}`, async () => {
    const count = await genai.models.countTokens({ model, contents: "How long is this?" });
    assert.ok(count.totalTokens > 0);
  });
}
