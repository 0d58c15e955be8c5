import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../model/settings";
import { bodyText, NO_INPUT, prepare } from "../request/prepare";
import { codeFor } from "./code";

const turns = [
  { id: "1", role: "user" as const, parts: [{ type: "text" as const, text: "It's $HOME" }] },
];
const settings = { ...DEFAULT_SETTINGS, model: "m" };
const request = prepare(settings, { ...NO_INPUT, turns });
const BASE = "http://gate.test";

describe("curl", () => {
  it("holds the body that is sent, byte for byte", () => {
    const text = codeFor("curl", request, BASE) ?? "";
    const quoted = text.slice(text.indexOf("-d '") + 4, -1).replaceAll("'\\''", "'");
    expect(quoted).toBe(bodyText(request.body.value));
    expect(text).toContain('-H "Authorization: Bearer $MODELGATE_API_KEY"');
    expect(text).toContain("curl -N 'http://gate.test/v1/chat/completions'");
  });

  it("takes a long body from standard input", () => {
    const long = prepare({ ...settings, system: "x".repeat(70_000) }, { ...NO_INPUT, turns });
    expect(codeFor("curl", long, BASE)).toMatch(
      /--data-binary @- <<'END_OF_BODY'\n\{[\s\S]*\}\nEND_OF_BODY$/,
    );
  });

  it("sends files by name, and texts that cannot be mistaken for one", () => {
    const file = { mediaType: "image/png", data: "AAAA", name: "a.png" };
    const edit = prepare(
      { ...settings, endpoint: "edits" },
      { ...NO_INPUT, text: "@x", files: [file] },
    );
    expect(codeFor("curl", edit, BASE)).toContain(
      "--form-string 'prompt=@x' \\\n  -F 'image=@a.png;type=image/png'",
    );
  });

  it("has no web socket", () => {
    expect(
      codeFor("curl", prepare({ ...settings, endpoint: "realtime" }, NO_INPUT), BASE),
    ).toBeUndefined();
  });
});

describe("programs", () => {
  it("name what the library knows and pass on the rest", () => {
    const extra = prepare(
      { ...settings, stream: false, extra: '{"top_k":3}' },
      { ...NO_INPUT, turns },
    );
    expect(codeFor("python", extra, BASE, "sk-1")).toBe(`from openai import OpenAI

client = OpenAI(base_url="http://gate.test/v1", api_key="sk-1")

reply = client.chat.completions.create(
    model="m",
    messages=[
        {
            "role": "user",
            "content": "It's $HOME",
        },
    ],
    extra_body={
        "top_k": 3,
    },
)
print(reply.choices[0].message.content)
`);
    expect(codeFor("typescript", extra, BASE)).toBe(`import OpenAI from "openai";

const client = new OpenAI({ baseURL: "http://gate.test/v1", apiKey: process.env.MODELGATE_API_KEY });

const reply = await client.chat.completions.create({
  model: "m",
  messages: [
    {
      role: "user",
      content: "It's $HOME",
    },
  ],
  ...{
    top_k: 3,
  },
});
console.log(reply.choices[0].message.content);
`);
  });

  it("flatten the configuration of generate content", () => {
    const stop = { ...settings, endpoint: "generate" as const, system: "Be brief.", stop: ["x"] };
    const text = codeFor("typescript", prepare(stop, { ...NO_INPUT, turns }), BASE) ?? "";
    expect(text).toContain("config: {\n    stopSequences: [\n");
    expect(text).toContain("systemInstruction: {");
    expect(text).not.toContain("generationConfig");
  });
});
