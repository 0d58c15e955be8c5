import { describe, expect, it } from "vitest";
import { detect } from "./detect";

const PROVIDERS = [
  { id: "openai", base_url: "https://api.openai.com/v1" },
  { id: "anthropic", base_url: "https://api.anthropic.com" },
  { id: "azure", base_url: "" },
  { id: "google", base_url: "https://generativelanguage.googleapis.com" },
  { id: "ollama", base_url: "http://127.0.0.1:11434" },
  { id: "vertex", base_url: "" },
];

describe("detect", () => {
  it("knows vendors by the beginning of their keys, the longest first", () => {
    expect(detect("sk-ant-abc", PROVIDERS)).toEqual({ type: "anthropic", key: "sk-ant-abc" });
    expect(detect(" sk-abc ", PROVIDERS)).toEqual({ type: "openai", key: "sk-abc" });
    expect(detect("AIzaSy", PROVIDERS)?.type).toBe("google");
  });

  it("knows vendors by their address", () => {
    expect(detect("https://api.anthropic.com/", PROVIDERS)).toEqual({ type: "anthropic" });
    expect(detect("http://127.0.0.1:11434/x", PROVIDERS)).toEqual({
      type: "ollama",
      base_url: "http://127.0.0.1:11434/x",
    });
    expect(detect("https://mine.openai.azure.com", PROVIDERS)?.type).toBe("azure");
  });

  it("takes any other address for a server that speaks OpenAI's words", () => {
    expect(detect("https://llm.example/v1", PROVIDERS)?.type).toBe("openai");
  });

  it("knows a service account's file", () => {
    expect(detect('{"type":"service_account","private_key":"x"}', PROVIDERS)?.type).toBe("vertex");
  });

  it("says nothing about anything else, or about vendors that this gateway does not have", () => {
    expect(detect("hello", PROVIDERS)).toBeUndefined();
    expect(detect("xai-1", PROVIDERS)).toBeUndefined();
    expect(detect("http://", PROVIDERS)).toBeUndefined();
  });
});
