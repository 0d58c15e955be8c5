import { expect } from "@playwright/test";
import type { View } from "../support/views";

const views: readonly View[] = [
  {
    name: "waiting for the first call",
    as: "user",
    open: async (page) => {
      await page.goto("/console/connect?tool=claude-code");
      await expect(page.getByRole("status", { name: "First call" })).toBeVisible();
      await expect(page.getByText("ANTHROPIC_BASE_URL").first()).toBeVisible();
    },
  },
  {
    name: "with a new key and a passed test",
    as: "user",
    open: async (page) => {
      await page.goto("/console/connect?model=demo-chat");
      await page.getByRole("button", { name: "Make a key" }).click();
      await expect(page.getByText("Shown only this once")).toBeVisible();
      await page.getByRole("button", { name: "Test this" }).click();
      await expect(page.getByText(/^Passed in/)).toBeVisible();
      await expect(page.getByText("Call arrived: demo-chat")).toBeVisible();
    },
  },
];

export default views;
