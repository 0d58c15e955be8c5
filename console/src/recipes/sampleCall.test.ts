import { describe, expect, it } from "vitest";
import { refusalText, replyText, sampleCall } from "./sampleCall";

describe("sampleCall", () => {
  it("asks in the dialect of the endpoint", () => {
    const bodyOf = (endpoint: string) => JSON.parse(sampleCall(endpoint, "m")?.body ?? "");
    expect(bodyOf("/v1/chat/completions")).toMatchObject({ model: "m", messages: [{}] });
    expect(bodyOf("/v1/messages")).toMatchObject({ model: "m", max_tokens: 64 });
    expect(bodyOf("/v1/responses")).toEqual({ model: "m", input: "Hello" });
    const gemini = sampleCall("/v1beta/models/x:generateContent", "a/b");
    expect(gemini?.path).toBe("/v1beta/models/a%2Fb:generateContent");
    expect(sampleCall("/v1/embeddings", "m")).toBeUndefined();
  });
});

describe("replyText", () => {
  it("finds the text in every dialect", () => {
    const replies = [
      { choices: [{ message: { content: "hi" } }] },
      { content: [{ type: "text", text: "hi" }] },
      { candidates: [{ content: { parts: [{ text: "hi" }] } }] },
      { output: [{ type: "reasoning" }, { content: [{ text: "hi" }] }] },
    ];
    expect(replies.map(replyText)).toEqual(["hi", "hi", "hi", "hi"]);
    expect(replyText(null)).toBeUndefined();
  });
});

describe("refusalText", () => {
  it("finds the reason", () => {
    expect(refusalText({ error: { message: "no" } })).toBe("no");
    expect(refusalText({})).toBeUndefined();
  });
});
