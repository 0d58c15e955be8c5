import { describe, expect, it, vi } from "vitest";
import { readPreference, storePreference } from "./preference";
import { toTheme } from "./theme";

describe("preferences", () => {
  it("are read back as stored", () => {
    storePreference("key", "value");
    expect(readPreference("key")).toBe("value");
    expect(readPreference("other")).toBeNull();
  });

  it("do without storage where the browser forbids it", () => {
    const refuse = () => {
      throw new DOMException("denied", "SecurityError");
    };
    vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse, clear: () => undefined });
    expect(readPreference("key")).toBeNull();
    expect(() => storePreference("key", "value")).not.toThrow();
  });

  it("follow the system when the stored theme is unknown", () => {
    expect(["dark", "light", "sepia", null].map(toTheme)).toEqual([
      "dark",
      "light",
      "auto",
      "auto",
    ]);
  });
});
