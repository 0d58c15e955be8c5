// The call that a tool would make: one short question in the dialect of its endpoint. For endpoints that
// take no question there is none.

export interface SampleCall {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

const QUESTION = "Hello";
/** Enough for a sentence. */
const MOST_TOKENS = 64;

/** The request for an endpoint as recipes and the log name it. */
export function sampleCall(endpoint: string, model: string): SampleCall | undefined {
  const json = { "content-type": "application/json" };
  const messages = [{ role: "user", content: QUESTION }];
  const method = /:(generateContent|streamGenerateContent)$/.exec(endpoint)?.[1];
  if (method !== undefined) {
    const path = `/v1beta/models/${encodeURIComponent(model)}:${method}`;
    const contents = [{ role: "user", parts: [{ text: QUESTION }] }];
    return { path, headers: json, body: JSON.stringify({ contents }) };
  }
  switch (endpoint) {
    case "/v1/messages":
      return {
        path: endpoint,
        headers: { ...json, "anthropic-version": "2023-06-01" },
        body: JSON.stringify({ model, max_tokens: MOST_TOKENS, messages }),
      };
    case "/v1/responses":
      return { path: endpoint, headers: json, body: JSON.stringify({ model, input: QUESTION }) };
    case "/v1/chat/completions":
      return { path: endpoint, headers: json, body: JSON.stringify({ model, messages }) };
    default:
      return undefined;
  }
}

/** The text of a reply, whichever dialect it is in; nothing where it has none. */
export function replyText(reply: unknown): string | undefined {
  const found =
    text(reply, "choices", 0, "message", "content") ??
    text(reply, "content", 0, "text") ??
    text(reply, "candidates", 0, "content", "parts", 0, "text");
  return found ?? outputText(reply);
}

/** A response's text stands behind its reasoning. */
function outputText(reply: unknown): string | undefined {
  const items = at(reply, "output");
  const texts = Array.isArray(items) ? items.map((item) => text(item, "content", 0, "text")) : [];
  return texts.find((each) => each !== undefined);
}

/** Why a call was refused, in the reply's own words. */
export function refusalText(reply: unknown): string | undefined {
  return text(reply, "error", "message") ?? text(reply, "message");
}

function text(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = path.reduce(at, value);
  return typeof found === "string" ? found : undefined;
}

function at(value: unknown, step: string | number): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string | number, unknown>)[step]
    : undefined;
}
