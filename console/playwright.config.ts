// Browser journeys against the real binary (see e2e/support/gateway.ts) in the system's Chromium.

import { defineConfig } from "@playwright/test";

const isContinuous = process.env.CI !== undefined;

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  fullyParallel: true,
  forbidOnly: isContinuous,
  // A browser on a busy machine is not always in time; what passed at the second try is reported as flaky.
  retries: 1,
  workers: 2,
  reporter: "list",
  // Generous: a busy machine is slow, not wrong.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
    trace: "on-first-retry",
    launchOptions: {
      executablePath: process.env.MODELGATE_CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // A name that is not loopback to the browser: plain http there is not a secure context.
        "--host-resolver-rules=MAP gateway.test 127.0.0.1",
      ],
    },
  },
});
