import { expect, test } from "vitest";
import { browserName } from "./browserName";

test("browsers are told apart though each claims to be the others", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
  expect(browserName(chrome)).toBe("Chrome 156, Linux");
  expect(browserName(`${chrome} Edg/155.0.1`)).toBe("Edge 155, Linux");
  expect(
    browserName(
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    ),
  ).toBe("Safari 18, iOS");
});

test("a program is called by its first word, and none by nothing", () => {
  expect(browserName("curl/8.5.0 extra")).toBe("curl/8.5.0");
  expect(browserName(null)).toBeUndefined();
  expect(browserName(" ")).toBeUndefined();
});
