import { expect } from "@playwright/test";
import { callModel, makeKey } from "../support/accounts";
import type { Scene, View } from "../support/views";

const someCalls = async ({ gateway, root }: Scene) => {
  const { key } = await makeKey(gateway, root);
  await callModel(gateway, key);
  await callModel(gateway, key, "Hello", { model: "demo-reasoning" });
};

const views: readonly View[] = [
  {
    name: "nothing yet",
    as: "user",
    open: async (page) => {
      await page.goto("/console/usage");
      await expect(page.getByText("No call in this time")).toBeVisible();
    },
  },
  {
    name: "charts",
    as: "root",
    open: async (page, scene) => {
      await someCalls(scene);
      await page.goto("/console/usage?range=1h");
      await expect(page.locator(".recharts-surface").nth(3)).toBeVisible();
      await page.keyboard.press("End");
      await expect(page.getByRole("table")).toBeVisible();
    },
  },
  {
    name: "tables",
    as: "root",
    open: async (page, scene) => {
      await someCalls(scene);
      await page.goto("/console/usage?range=15m&tables=spend,requests,tokens,latency&by=token");
      await expect(page.getByRole("table")).toHaveCount(4);
      await page.keyboard.press("End");
      await expect(page.getByRole("table")).toHaveCount(5);
    },
  },
];

export default views;
