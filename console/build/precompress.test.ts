import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compress } from "./precompress";

describe("compress", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "precompress-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("writes a twin for those who take brotli, and one for those who take gzip", () => {
    const path = join(folder, "a.js");
    const text = "export const a = 1;\n".repeat(50);
    writeFileSync(path, text);
    compress(path);
    expect(brotliDecompressSync(readFileSync(`${path}.br`)).toString()).toBe(text);
    expect(gunzipSync(readFileSync(`${path}.gz`)).toString()).toBe(text);
  });

  it("writes none that saves next to nothing", () => {
    const path = join(folder, "b.js");
    writeFileSync(path, "a=1");
    compress(path);
    expect(readdirSync(folder)).toEqual(["b.js"]);
  });
});
