import { expect, it } from "vitest";
import { fillKey } from "./fillKey";

it("fills the key in everywhere, and only where there is one", () => {
  const text = 'export A="$MODELGATE_API_KEY"\nexport B="$MODELGATE_API_KEY"';
  expect(fillKey(text, "sk-1$&")).toBe('export A="sk-1$&"\nexport B="sk-1$&"');
  expect(fillKey(text, undefined)).toBe(text);
});
