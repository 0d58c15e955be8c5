import { describe, expect, it } from "vitest";
import { attachmentProblem, LARGEST_BYTES } from "./attachments";
import { blockOf, chosenModel, estimate, type ModelInfo } from "./models";

const model = (name: string, change: Partial<ModelInfo> = {}): ModelInfo => ({
  name,
  vendor: "demo",
  operations: ["generate"],
  capabilities: null,
  prices: { input: "0.1", output: "0.4" },
  multiplier: "1",
  isAllowed: true,
  ...change,
});

describe("the model that is called", () => {
  const models = [
    model("free", { prices: null }),
    model("a"),
    model("e", { operations: ["embed"] }),
  ];

  it("is the one chosen, known or not", () => {
    expect(chosenModel(models, "chat", "a")).toBe("a");
    expect(chosenModel(models, "chat", "unheard-of")).toBe("unheard-of");
  });

  it("is the first that can be called when the chosen one does something else", () => {
    expect(chosenModel(models, "chat", "")).toBe("a");
    expect(chosenModel(models, "embeddings", "a")).toBe("e");
    expect(chosenModel([], "chat", "")).toBe("");
  });

  it("says why it cannot be called", () => {
    expect(blockOf(model("a", { isAllowed: false }))).toBe("plan");
    expect(blockOf(model("a", { prices: null }))).toBe("price");
    expect(blockOf(model("a"))).toBeUndefined();
  });
});

describe("the estimate", () => {
  it("counts bytes, and multiplies exactly", () => {
    expect(estimate(["x".repeat(4_000_000)], model("a", { multiplier: "1.5" }), 1_000_000)).toEqual(
      {
        tokens: 1_000_000,
        least: "0.15",
        most: "0.75",
      },
    );
    expect(estimate(["狐狸"], model("a"), undefined)).toEqual({
      tokens: 2,
      least: "0.0000002",
      most: undefined,
    });
  });

  it("knows no price where there is none", () => {
    expect(estimate(["abcd"], undefined, 5)).toEqual({ tokens: 1 });
  });
});

describe("an attachment", () => {
  const known = {
    vision: false,
    audio: true,
    documents: true,
    reasoning: true,
    structured_output: true,
    sampling: true,
    max_output: null,
  };
  it("is refused for a reason", () => {
    const image = { size: 10, type: "image/png" };
    expect(attachmentProblem(image, "chat", undefined)).toBeUndefined();
    expect(attachmentProblem(image, "chat", known)).toBe("vision");
    expect(attachmentProblem({ size: LARGEST_BYTES + 1, type: "image/png" }, "chat", null)).toBe(
      "tooLarge",
    );
    expect(attachmentProblem({ size: 1, type: "text/html" }, "chat", null)).toBe("type");
    expect(attachmentProblem({ size: 1, type: "audio/wav" }, "messages", known)).toBe("audio");
  });
});
