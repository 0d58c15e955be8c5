// A stand-in for a provider of OpenAI's kind: 800 models, a short reply, and what is left on a key's account;
// below /refuses, and for the key "sk-revoked", it refuses the key, below /html it answers with a page for people.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Upstream {
  address: string;
  port: number;
  /** The body of the last call that it answered. */
  lastBody: () => unknown;
  stop: () => Promise<void>;
}

const MODELS = Array.from({ length: 800 }, (_, index) => ({
  id: `model-${String(index).padStart(3, "0")}`,
  object: "model",
}));

const USAGE = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };

export async function startUpstream(): Promise<Upstream> {
  let last = "null";
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      last = body === "" ? last : body;
      const isRefused = request.headers.authorization === "Bearer sk-revoked";
      answer(isRefused ? "/refuses/" : (request.url ?? ""), body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const lastBody = () => JSON.parse(last) as unknown;
  return { address: `http://127.0.0.1:${port}`, port, lastBody, stop };
}

function answer(path: string, body: string, response: ServerResponse): void {
  if (path.startsWith("/refuses/")) {
    const error = { message: "Incorrect API key provided", type: "invalid_request_error" };
    json(response, 401, { error: { ...error, code: "invalid_api_key" } });
  } else if (path.startsWith("/html/")) {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>Please log in</html>");
  } else if (path.endsWith("/models")) {
    json(response, 200, { object: "list", data: MODELS });
  } else if (path === "/user/balance") {
    json(response, 200, { balance_infos: [{ currency: "CNY", total_balance: "110.50" }] });
  } else if (body.includes('"stream":true')) {
    stream(response);
  } else {
    const message = { role: "assistant", content: "ok" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    json(response, 200, { ...HEAD, object: "chat.completion", choices, usage: USAGE });
  }
}

const HEAD = { id: "chatcmpl-1", created: 1, model: "model-000" };

function stream(response: ServerResponse): void {
  const chunk = (choices: unknown, more: object = {}) =>
    `data: ${JSON.stringify({ ...HEAD, object: "chat.completion.chunk", choices, ...more })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk([{ index: 0, delta: { role: "assistant", content: "ok" } }]));
  response.write(chunk([{ index: 0, delta: {}, finish_reason: "stop" }]));
  response.write(chunk([], { usage: USAGE }));
  response.end("data: [DONE]\n\n");
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
