// Writes compressed twins (`<name>.br`, `<name>.gz`) beside the text files of the build, for the server
// to send as they are. Browsers take brotli over https alone: gzip is for plain http in one's own
// network. index.html has none: the server writes the base address into it before sending.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const COMPRESSIBLE = /\.(?:css|html|js|json|svg|txt)$/;
const TEMPLATED = "index.html";
/** A twin of more than this share of its original is not worth its place in the binary. */
const WORTH = 0.9;

const TWINS: Readonly<Record<string, (content: Buffer) => Buffer>> = {
  br: (content) =>
    brotliCompressSync(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
    }),
  gz: (content) => gzipSync(content, { level: constants.Z_BEST_COMPRESSION }),
};

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

/** Writes the twins of one file. */
export function compress(path: string): void {
  const content = readFileSync(path);
  for (const [ending, pack] of Object.entries(TWINS)) {
    const twin = pack(content);
    if (twin.length <= content.length * WORTH) {
      writeFileSync(`${path}.${ending}`, twin);
    }
  }
}
