import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../model/settings";
import { exportJson, exportMarkdown, importJson, withFreshIds } from "./files";
import { readThread } from "./schema";
import { listed, newThread, summaryOf, titleFrom } from "./thread";

const thread = newThread(
  DEFAULT_SETTINGS,
  [
    { id: "1", role: "user", parts: [{ type: "text", text: "Tell me about foxes" }] },
    {
      id: "2",
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "They are red." },
      ],
    },
  ],
  5,
);

describe("a thread", () => {
  it("comes back from an exported file", async () => {
    expect(await importJson(exportJson([thread]))).toEqual({ threads: [thread], broken: 0 });
  });

  it("is refused when it is none", async () => {
    expect(await importJson("no json")).toBeUndefined();
    expect(await importJson('{"format":"other"}')).toBeUndefined();
    const file = '{"format":"modelgate-threads","version":1,"threads":[{"id":1}]}';
    expect(await importJson(file)).toEqual({ threads: [], broken: 1 });
    expect(readThread(undefined)).toBeUndefined();
  });

  it("gets another id where its own is taken", () => {
    const [copy] = withFreshIds([thread], new Set([thread.id]));
    expect(copy?.id).not.toBe(thread.id);
    expect(copy?.turns).toEqual(thread.turns);
  });

  it("reads as Markdown", () => {
    const text = exportMarkdown(thread, { user: "You", assistant: "Reply" });
    expect(text).toBe(
      "# Tell me about foxes\n\n## You\n\nTell me about foxes\n\n## Reply\n\n> hm\n\nThey are red.\n",
    );
  });

  it("has a short title that splits no letter", () => {
    expect(titleFrom(" a\n b ")).toBe("a b");
    expect([...titleFrom("🦊".repeat(80))]).toHaveLength(61);
  });
});

it("the list finds every word, pinned ones first", () => {
  const summaries = [
    summaryOf(thread),
    { ...summaryOf(thread), id: "b", updatedAt: 9 },
    { ...summaryOf(thread), id: "c", pinned: true, words: "whales" },
  ];
  expect(listed(summaries, "").map(({ id }) => id)).toEqual(["c", "b", thread.id]);
  expect(listed(summaries, "RED foxes").map(({ id }) => id)).toEqual(["b", thread.id]);
  expect(listed(summaries, "red whales")).toEqual([]);
});
