// Marks the entry scripts `blocking="render"`: a stored theme is applied before the first paint
// without an inline script, which the content security policy forbids.

import type { Plugin } from "vite";

/** Adds the attribute to every module script of a built page. */
export function renderBlocking(): Plugin {
  return {
    name: "modelgate:render-blocking",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html) =>
        html.replaceAll('<script type="module"', '<script type="module" blocking="render"'),
    },
  };
}
