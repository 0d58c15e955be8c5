import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { copyText } from "./copyText";

function offerClipboard(clipboard: Partial<Clipboard> | undefined): void {
  vi.stubGlobal("navigator", { clipboard });
}

describe("copyText", () => {
  let selected: string | undefined;

  beforeEach(() => {
    selected = undefined;
    document.execCommand = vi.fn(() => {
      selected = document.querySelector("textarea")?.value;
      return true;
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("uses the clipboard where the browser offers it", async () => {
    const writeText = vi.fn(async () => undefined);
    offerClipboard({ writeText });
    expect(await copyText("https://gate.example/v1")).toBe(true);
    expect(writeText).toHaveBeenCalledWith("https://gate.example/v1");
    expect(document.execCommand).not.toHaveBeenCalled();
  });

  it("copies by selection on plain http, where there is no clipboard", async () => {
    offerClipboard(undefined);
    expect(await copyText("http://192.168.1.5:3000")).toBe(true);
    expect(selected).toBe("http://192.168.1.5:3000");
  });

  it("copies by selection when the clipboard refuses", async () => {
    offerClipboard({ writeText: () => Promise.reject(new DOMException("no", "NotAllowedError")) });
    expect(await copyText("text")).toBe(true);
    expect(selected).toBe("text");
  });

  it("says so when nothing worked, leaves nothing behind and gives the focus back", async () => {
    offerClipboard(undefined);
    document.execCommand = vi.fn(() => false);
    const button = document.createElement("button");
    document.body.append(button);
    button.focus();
    expect(await copyText("text")).toBe(false);
    expect(document.querySelector("textarea")).toBeNull();
    expect(document.activeElement).toBe(button);
  });
});
