import { expect } from "@playwright/test";
import type { View } from "../support/views";

const views: readonly View[] = [
  {
    name: "the board",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels?search=demo");
      await expect(page.getByRole("link", { name: "demo", exact: true })).toBeVisible();
    },
  },
  {
    name: "the table with a selection",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels?view=table&search=demo");
      await page.getByRole("checkbox", { name: "Select this page" }).check();
      await expect(page.getByRole("button", { name: "Change…" })).toBeVisible();
    },
  },
  {
    name: "a change of many",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels?view=table&search=demo");
      await page.getByRole("checkbox", { name: "Select this page" }).check();
      await page.getByRole("button", { name: "Change…" }).click();
      await expect(page.getByRole("region", { name: "What would change" })).toBeVisible();
    },
  },
  {
    name: "nothing found",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels?search=no-such-channel");
      await expect(page.getByRole("button", { name: "Clear filters" })).toBeVisible();
    },
  },
  {
    name: "new: the providers",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels/new");
      await expect(page.getByRole("list", { name: "Providers" })).toBeVisible();
    },
  },
  {
    name: "new: the key",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels/new?type=openai");
      await page.getByRole("button", { name: /^Advanced/ }).click();
      await expect(page.getByLabel("Headers to set")).toBeVisible();
    },
  },
  {
    name: "new: test and models",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels/new?type=demo");
      await page.getByLabel("Name", { exact: true }).fill("sweep");
      await page.getByRole("button", { name: "Test", exact: true }).click();
      await expect(page.getByText("The test passed")).toBeVisible();
      await page.getByRole("button", { name: "Choose models" }).click();
      await expect(page.getByText("0 of 9 chosen")).toBeVisible();
    },
  },
  {
    name: "one channel",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels/1");
      await expect(page.getByRole("heading", { level: 1, name: "demo" })).toBeVisible();
    },
  },
  {
    name: "its keys",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels/1?tab=keys");
      await expect(page.getByText("Keys take turns.", { exact: false })).toBeVisible();
    },
  },
  {
    name: "its test",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels/1?tab=test");
      await page.getByRole("button", { name: "Test", exact: true }).click();
      await expect(page.getByText("The test passed")).toBeVisible();
    },
  },
  {
    name: "the test matrix",
    as: "root",
    open: async (page) => {
      await page.goto("/console/channels/matrix?channels=1");
      await page.getByRole("button", { name: /^Run / }).click();
      await expect(page.getByTestId("matrix-progress")).toHaveText(/^(\d+) of \1 tested$/);
    },
  },
];

export default views;
