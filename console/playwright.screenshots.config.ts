// Takes pictures of every page with the journeys' gateway and browser: `npm run screenshots`. They are in
// test-results/pages afterwards.

import { defineConfig } from "@playwright/test";
import journeys from "./playwright.config.ts";

export default defineConfig({
  ...journeys,
  testDir: "screenshots",
  workers: 1,
  timeout: 600_000,
  retries: 0,
  use: { ...journeys.use, trace: "off" },
});
