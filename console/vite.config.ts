// Two pages from one build: index.html (the home page, plain TypeScript) and console.html (the
// console, React). The server embeds `dist` as it is written here.

import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { baseAddress } from "./build/baseAddress.ts";
import { budgets } from "./build/budgets.ts";
import { CHUNK_GROUPS } from "./build/chunks.ts";
import { consoleFallback } from "./build/consoleFallback.ts";
import { homeTexts } from "./build/homeTexts.ts";
import { precompress } from "./build/precompress.ts";
import { renderBlocking } from "./build/renderBlocking.ts";

/** The gateway that the development server stands in front of. */
const gateway = process.env.MODELGATE_ADDRESS ?? "http://127.0.0.1:3000";

export default defineConfig({
  appType: "mpa",
  plugins: [
    tanstackRouter({ target: "react", autoCodeSplitting: true }),
    react(),
    homeTexts(),
    baseAddress(gateway),
    consoleFallback(),
    renderBlocking(),
    budgets(),
    precompress(),
  ],
  resolve: { tsconfigPaths: true },
  build: {
    target: "es2022",
    // A data: address would need an exception in the content security policy.
    assetsInlineLimit: 0,
    // build/budgets.ts has the limits, after compression.
    chunkSizeWarningLimit: 1_000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ["index.html", "console.html"],
      output: { codeSplitting: { groups: [...CHUNK_GROUPS] } },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ["/api", "/v1", "/v1beta", "/healthz", "/readyz", "/metrics"].map((path) => [path, gateway]),
    ),
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}", "build/**/*.test.ts", "scripts/**/*.test.ts"],
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
  },
});
