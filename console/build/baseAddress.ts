// In production the server replaces __MODELGATE_BASE__ in index.html by its public address. The
// development server does the same here; the production build leaves the placeholder alone.

import type { Plugin } from "vite";

/** Stands for the public base address (without a trailing slash) in the built index.html. */
const PLACEHOLDER = "__MODELGATE_BASE__";

/** Replaces the placeholder by `address` while developing. */
export function baseAddress(address: string): Plugin {
  return {
    name: "modelgate:base-address",
    apply: "serve",
    transformIndexHtml: (html) => html.replaceAll(PLACEHOLDER, address),
  };
}
