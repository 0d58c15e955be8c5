// The `openai` package's realtime client, through the demo channel. The package dials `wss:` and nothing
// else, so a small proxy ends the TLS before the gateway, as a proxy in front of it would.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { createServer } from "node:tls";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { token, url } from "./gateway.js";

const certificates = new URL("../../crates/providers/tests/fixtures/", import.meta.url);
const read = (name) => readFileSync(new URL(name, certificates));

const proxy = createServer({ cert: read("tls_leaf.pem"), key: read("tls_leaf_key.pem") }, (socket) => {
  const { hostname, port } = new URL(url);
  const inner = connect(Number(port), hostname);
  socket.pipe(inner).pipe(socket);
  socket.on("error", () => inner.destroy());
  inner.on("error", () => socket.destroy());
});
before(() => new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve)));
after(() => proxy.close());

test("a realtime conversation in text", async () => {
  const events = [];
  const baseURL = `https://127.0.0.1:${proxy.address().port}/v1`;
  const options = { ca: read("tls_root.pem") };
  const client = new OpenAI({ baseURL, apiKey: token });
  const realtime = await OpenAIRealtimeWS.create(client, { model: "demo-realtime", options });
  const done = new Promise((resolve, reject) => {
    realtime.on("error", reject);
    realtime.on("event", (event) => events.push(event.type));
    realtime.on("response.done", resolve);
  });
  await new Promise((resolve) => realtime.socket.once("open", resolve));
  realtime.send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } });
  const content = [{ type: "input_text", text: "Hello" }];
  realtime.send({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
  realtime.send({ type: "response.create" });
  const { response } = await done;
  assert.equal(response.status, "completed");
  assert.ok(response.usage.total_tokens > 0);
  assert.ok(events.includes("session.created") && events.includes("response.output_text.delta"), events.join());
  const closed = new Promise((resolve) => realtime.socket.once("close", resolve));
  realtime.close();
  await closed;
});
