import { expect, type Page } from "@playwright/test";
import { callModel, makeKey } from "../support/accounts";
import type { Scene, View } from "../support/views";

const someCalls = async ({ gateway, root }: Scene) => {
  const { key } = await makeKey(gateway, root);
  await callModel(gateway, key);
  await callModel(gateway, key, "Hello", { model: "nothing-like-this" });
};

const opened = async (page: Page) => {
  await expect(page.getByRole("link", { name: /\d:\d\d/ }).first()).toBeVisible();
};

const views: readonly View[] = [
  {
    name: "no call yet",
    as: "user",
    open: async (page) => {
      await page.goto("/console/logs");
      await expect(page.getByText("No call yet")).toBeVisible();
    },
  },
  {
    name: "list with all filters",
    as: "root",
    open: async (page, scene) => {
      await someCalls(scene);
      await page.goto("/console/logs");
      await page.getByRole("button", { name: "More filters" }).click();
      await expect(page.getByRole("combobox", { name: "Error cause" })).toBeVisible();
      await opened(page);
    },
  },
  {
    name: "nothing matches",
    as: "user",
    open: async (page) => {
      await page.goto("/console/logs?model=nothing-like-this");
      await expect(page.getByText("No call matches")).toBeVisible();
    },
  },
  {
    name: "live and paused",
    as: "root",
    open: async (page, scene) => {
      await someCalls(scene);
      await page.goto("/console/logs?live=true");
      await page.getByRole("button", { name: "Pause" }).click();
      await opened(page);
    },
  },
  {
    name: "a call in the drawer",
    as: "root",
    open: async (page, scene) => {
      await someCalls(scene);
      await page.goto("/console/logs");
      await page
        .getByRole("link", { name: /\d:\d\d/ })
        .last()
        .click();
      await expect(page.getByText("This gateway never keeps")).toBeVisible();
    },
  },
  {
    name: "a failed call as a page",
    as: "root",
    open: async (page, { gateway, root }) => {
      const { key } = await makeKey(gateway, root);
      const answer = await callModel(gateway, key, "Hello", { model: "nothing-like-this" });
      const address = `/console/logs/${answer.headers.get("x-request-id")}`;
      await expect(async () => {
        await page.goto(address);
        await expect(page.getByText("model_not_found")).toBeVisible({ timeout: 1_000 });
      }).toPass();
    },
  },
];

export default views;
