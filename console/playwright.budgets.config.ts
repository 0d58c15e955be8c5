// Measures the console's budgets with the journeys' gateway and browser: `npm run budgets`. Set
// MODELGATE_BINARY to a release build. Prints figures; nothing is asserted.

import { defineConfig } from "@playwright/test";
import journeys from "./playwright.config.ts";

export default defineConfig({
  ...journeys,
  testDir: "budgets",
  workers: 1,
  timeout: 300_000,
  use: { ...journeys.use, trace: "off" },
});
