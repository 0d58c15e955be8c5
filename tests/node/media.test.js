// What is no text, through the demo channel: vectors, images, sound, verdicts, lists of models.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toFile } from "openai";
import { anthropic, genai, openai } from "./gateway.js";

test("vectors, as numbers and as the SDK asks for them", async () => {
  const input = ["a tin boat", "two oars"];
  const plain = await openai.embeddings.create({ model: "demo-embedding", input, encoding_format: "float" });
  // The SDK asks for base64 by itself and gives numbers back.
  const packed = await openai.embeddings.create({ model: "demo-embedding", input });
  assert.equal(plain.data.length, 2);
  const rounded = (vector) => vector.map((value) => Math.fround(value));
  assert.deepEqual(rounded(packed.data[1].embedding), rounded(plain.data[1].embedding));
  assert.ok(plain.usage.prompt_tokens > 0);
});

test("a vector in the words of generate content", async () => {
  const answer = await genai.models.embedContent({ model: "demo-embedding", contents: ["a tin boat", "two oars"] });
  assert.equal(answer.embeddings.length, 2);
  assert.ok(answer.embeddings[0].values.length > 0);
});

test("an image", async () => {
  const answer = await openai.images.generate({ model: "demo-image", prompt: "A boat", size: "1024x1024" });
  const bytes = Buffer.from(answer.data[0].b64_json, "base64");
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
});

test("speech, and what was said in it", async () => {
  const speech = await openai.audio.speech.create({
    model: "demo-speech",
    voice: "alloy",
    input: "Hello there",
    response_format: "wav",
  });
  const sound = Buffer.from(await speech.arrayBuffer());
  assert.equal(sound.subarray(0, 4).toString(), "RIFF");
  const file = await toFile(sound, "hello.wav", { type: "audio/wav" });
  const heard = await openai.audio.transcriptions.create({ model: "demo-transcribe", file });
  assert.ok(heard.text.length > 0);
  const verbose = await openai.audio.transcriptions.create({
    model: "demo-transcribe",
    file: await toFile(sound, "hello.wav", { type: "audio/wav" }),
    response_format: "verbose_json",
  });
  assert.ok(verbose.duration > 0);
});

test("a verdict", async () => {
  const answer = await openai.moderations.create({ model: "demo-moderation", input: "A kind word." });
  assert.equal(answer.results[0].flagged, false);
});

test("the list of models in each SDK's own shape", async () => {
  const names = async (list) => {
    const found = [];
    for await (const model of list) found.push(model.id ?? model.name);
    return found;
  };
  assert.ok((await names(openai.models.list())).includes("up-chat"));
  assert.ok((await names(anthropic.models.list({ limit: 3 }))).includes("up-chat"));
  const listed = await names(await genai.models.list());
  assert.ok(listed.includes("models/up-chat"), listed.join());
  assert.equal((await openai.models.retrieve("demo-chat")).id, "demo-chat");
});
