import { describe, expect, it } from "vitest";
import { addressWithStyle, restoreStyle } from "./clientStyle";

function drawRadios(): NodeListOf<HTMLInputElement> {
  document.body.innerHTML = `
    <input type="radio" name="style" value="openai" checked>
    <input type="radio" name="style" value="anthropic">`;
  return document.querySelectorAll("input");
}

function chosen(): string | undefined {
  return document.querySelector<HTMLInputElement>("input:checked")?.value;
}

describe("the client style in the address", () => {
  it("is restored from the query", () => {
    restoreStyle(drawRadios(), "?style=anthropic");
    expect(chosen()).toBe("anthropic");
  });

  it.each(["", "?style=", "?style=unknown"])("stays the first one for %j", (search) => {
    restoreStyle(drawRadios(), search);
    expect(chosen()).toBe("openai");
  });

  it("replaces only its own parameter", () => {
    expect(addressWithStyle("http://h/?a=1&style=openai#x", "gemini")).toBe(
      "http://h/?a=1&style=gemini#x",
    );
  });
});
