import { describe, expect, it } from "vitest";
import { applyTexts, ENGLISH, loadTexts } from "./texts";

describe("applyTexts", () => {
  it("writes texts and labels, and nothing else", async () => {
    document.body.innerHTML = `
      <h1 data-text="headline">old</h1>
      <input data-label="address" value="http://127.0.0.1:3000">
      <p>untouched</p>`;
    const chinese = await loadTexts("zh-CN");
    applyTexts(document, chinese);
    expect(document.querySelector("h1")?.textContent).toBe(chinese.headline);
    expect(document.querySelector("input")?.getAttribute("aria-label")).toBe(chinese.address);
    expect(document.querySelector("input")?.value).toBe("http://127.0.0.1:3000");
    expect(document.querySelector("p")?.textContent).toBe("untouched");
  });

  it("goes back to English", async () => {
    document.body.innerHTML = '<h1 data-text="headline"></h1>';
    applyTexts(document, await loadTexts("zh-CN"));
    applyTexts(document, await loadTexts("en"));
    expect(document.querySelector("h1")?.textContent).toBe(ENGLISH.headline);
  });

  it("refuses a key that no language has", () => {
    document.body.innerHTML = '<h1 data-text="nonsense"></h1>';
    expect(() => applyTexts(document, ENGLISH)).toThrow("nonsense");
  });
});
