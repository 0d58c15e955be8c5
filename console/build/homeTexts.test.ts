import { describe, expect, it } from "vitest";
import { fillTexts } from "./homeTexts";

describe("fillTexts", () => {
  const texts = { title: 'Fast & "small" <gate>', name: "Name" };

  it("fills empty elements and escapes the text", () => {
    expect(fillTexts('<p class="a" data-text="title" hidden></p>', texts)).toBe(
      '<p class="a" data-text="title" hidden>Fast &amp; &quot;small&quot; &lt;gate&gt;</p>',
    );
  });

  it("turns labels into accessible names", () => {
    expect(fillTexts('<input data-label="name">', texts)).toBe(
      '<input data-label="name" aria-label="Name">',
    );
  });

  it("refuses a key that the texts lack", () => {
    expect(() => fillTexts('<p data-text="other"></p>', texts)).toThrow('"other"');
  });
});
