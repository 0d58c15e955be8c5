import { expect } from "@playwright/test";
import { makeKey } from "../support/accounts";
import type { View } from "../support/views";

const views: readonly View[] = [
  {
    name: "no key yet",
    as: "user",
    open: async (page) => {
      await page.goto("/console/keys");
      await expect(page.getByText("No key yet")).toBeVisible();
    },
  },
  {
    name: "list with a selection",
    as: "root",
    open: async (page, { gateway, root }) => {
      await makeKey(gateway, root, { budget_daily_usd: "1", models: ["demo-chat", "a", "b"] });
      await makeKey(gateway, root);
      await page.goto("/console/keys");
      // An empty bar has no width: it is there, but nothing of it is seen.
      await expect(page.getByRole("progressbar").first()).toBeAttached();
      await page.getByLabel("Select this page").check();
      await expect(page.getByRole("region", { name: "Selection" })).toBeVisible();
    },
  },
  {
    name: "nothing matches",
    as: "root",
    open: async (page, { gateway, root }) => {
      await makeKey(gateway, root);
      await page.goto("/console/keys?search=nothing-like-this");
      await expect(page.getByRole("button", { name: "Clear filters" })).toBeVisible();
    },
  },
  {
    name: "new key with limits",
    as: "user",
    open: async (page) => {
      await page.goto("/console/keys?new=true");
      await page.getByText("With limits").click();
      await expect(page.getByLabel("Networks")).toBeVisible();
    },
  },
  {
    name: "the secret, once",
    as: "user",
    open: async (page) => {
      await page.goto("/console/keys?new=true");
      await page.getByLabel("Name", { exact: true }).fill("swept");
      await page.getByRole("button", { name: "Create key" }).click();
      await expect(page.getByText("Shown only this once")).toBeVisible();
    },
  },
  {
    name: "recipes of a new key",
    as: "user",
    open: async (page) => {
      await page.goto("/console/keys?new=true");
      await page.getByLabel("Name", { exact: true }).fill("swept");
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("button", { name: "I saved it" }).click();
      await expect(page.getByRole("tab").first()).toBeVisible();
    },
  },
  {
    name: "one key",
    as: "root",
    open: async (page, { gateway, root }) => {
      const { id, name } = await makeKey(gateway, root, { budget_monthly_usd: "5" });
      await page.goto(`/console/keys/${id}`);
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
      await expect(page.getByRole("progressbar")).toBeAttached();
    },
  },
  {
    name: "rotation",
    as: "root",
    open: async (page, { gateway, root }) => {
      const { id } = await makeKey(gateway, root);
      await page.goto(`/console/keys/${id}`);
      await page.getByRole("button", { name: "Rotate" }).click();
      await expect(page.getByLabel("For 1 hour")).toBeVisible();
    },
  },
  {
    name: "a key that is not there",
    as: "user",
    open: async (page, { watch }) => {
      watch.expectProblem(/404/);
      await page.goto("/console/keys/999999");
      await expect(page.getByRole("alert")).toBeVisible();
    },
  },
];

export default views;
