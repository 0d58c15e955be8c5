import { expect, type Page } from "@playwright/test";
import { callModel, makeKey } from "../support/accounts";
import type { Scene, View } from "../support/views";

const someCalls = async ({ gateway, root }: Scene) => {
  const { key } = await makeKey(gateway, root);
  await callModel(gateway, key);
  await callModel(gateway, key, "Hello", { model: "demo-reasoning" });
};

/** The table by group comes when it is near; the page may still grow while one goes there. */
const toTheEnd = (page: Page, tables: number) =>
  expect(async () => {
    await page.keyboard.press("End");
    await expect(page.getByRole("table")).toHaveCount(tables, { timeout: 1_000 });
  }).toPass();

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
      await toTheEnd(page, 1);
    },
  },
  {
    name: "tables",
    as: "root",
    open: async (page, scene) => {
      await someCalls(scene);
      await page.goto("/console/usage?range=15m&tables=spend,requests,tokens,latency&by=token");
      await expect(page.getByRole("table")).toHaveCount(4);
      await toTheEnd(page, 5);
    },
  },
];

export default views;
