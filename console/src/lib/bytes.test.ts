import { expect, it } from "vitest";
import { formatBytes } from "./bytes";

it("takes the largest unit that gives one or more", () => {
  expect(formatBytes(3_200_000_000, "en")).toBe("3.2 GB");
  expect(formatBytes(999_000_000, "en")).toBe("999 MB");
  expect(formatBytes(1_540, "en")).toBe("1.5 kB");
  expect(formatBytes(12, "en")).toBe("12 byte");
});
