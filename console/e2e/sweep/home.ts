import { expect } from "@playwright/test";
import type { View } from "../support/views";

const views: readonly View[] = [
  {
    name: "ready",
    open: async (page) => {
      await page.goto("/");
      await expect(page.locator("#status")).toHaveText("Gateway is ready");
    },
  },
  {
    name: "the gateway does not answer",
    open: async (page, { watch }) => {
      watch.expectProblem(/ERR_CONNECTION_REFUSED/);
      await page.route("/readyz", (route) => route.abort("connectionrefused"));
      await page.goto("/?style=gemini");
      await expect(page.locator("#status")).toHaveText("Gateway does not answer");
    },
  },
];

export default views;
