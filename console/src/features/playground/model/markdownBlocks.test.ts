import { expect, it } from "vitest";
import { markdownBlocks } from "./markdownBlocks";

it("cuts at blank lines", () => {
  expect(markdownBlocks("# A\n\nb\nc\n\n\nd")).toEqual(["# A", "b\nc", "d"]);
});

it("keeps code with blank lines in one piece, whatever fences are inside", () => {
  const code = "````md\n```\n\nx\n```\n\ny\n````";
  expect(markdownBlocks(`a\n\n${code}\n\nb`)).toEqual(["a", code, "b"]);
});

it("keeps loose lists and what is indented below them together", () => {
  const items = "1. a\n\n   more\n\n2. b";
  expect(markdownBlocks(`${items}\n\nend`)).toEqual([items, "end"]);
});

it("never changes a block that is done when text grows", () => {
  const text = "a\n\n```js\nlet x;\n\nlet y;\n```\n\n- b\n\n- c\n\nd";
  const whole = markdownBlocks(text);
  for (let end = 1; end < text.length; end += 1) {
    const done = markdownBlocks(text.slice(0, end)).slice(0, -1);
    expect(whole.slice(0, done.length)).toEqual(done);
  }
});
