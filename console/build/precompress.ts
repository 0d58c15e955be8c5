// Writes a brotli twin (`<name>.br`) beside every text file of the build, for the server to send as
// it is. index.html has none: the server writes the base address into it before sending.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Plugin } from "vite";

const COMPRESSIBLE = /\.(?:css|html|js|json|svg|txt)$/;
const TEMPLATED = "index.html";

/** Compresses the output folder once the build has been written. */
export function precompress(): Plugin {
  let folder = "";
  return {
    name: "modelgate:precompress",
    apply: "build",
    configResolved: (config) => {
      folder = join(config.root, config.build.outDir);
    },
    closeBundle: () => {
      for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (COMPRESSIBLE.test(entry) && entry !== TEMPLATED) {
          compress(join(folder, entry));
        }
      }
    },
  };
}

function compress(path: string): void {
  const content = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
}
