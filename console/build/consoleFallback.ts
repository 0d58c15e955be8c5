// Development only: sends /console and everything below it to console.html, as the server does.

import type { Plugin } from "vite";

/** Rewrites page addresses of the console to its HTML entry. */
export function consoleFallback(): Plugin {
  return {
    name: "modelgate:console-fallback",
    configureServer: (server) => {
      server.middlewares.use((request, _response, next) => {
        if (request.url !== undefined && isConsolePage(request.url)) {
          request.url = "/console.html";
        }
        next();
      });
    },
  };
}

/** Whether the path belongs to a page that the console's router draws. */
export function isConsolePage(url: string): boolean {
  const path = url.split("?", 1)[0] ?? "";
  return path === "/console" || path.startsWith("/console/");
}
