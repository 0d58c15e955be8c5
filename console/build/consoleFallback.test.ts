import { expect, it } from "vitest";
import { isConsolePage } from "./consoleFallback";

it.each([
  ["/console", true],
  ["/console/system?metric=a", true],
  ["/console.html", false],
  ["/consoles", false],
  ["/v1/models", false],
  ["/?next=/console/system", false],
])("%s is a page of the console: %s", (url, expected) => {
  expect(isConsolePage(url)).toBe(expected);
});
