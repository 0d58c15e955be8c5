import { expect, type Page } from "@playwright/test";
import type { View } from "../support/views";

const refuse = async (page: Page) => {
  await page.route(/\/(readyz|healthz|metrics)$/, (route) => route.abort("connectionrefused"));
};

const views: readonly View[] = [
  {
    name: "live facts",
    as: "root",
    open: async (page) => {
      await page.goto("/console/system");
      await expect(page.getByRole("table")).toBeVisible();
    },
  },
  {
    name: "with nothing found",
    as: "root",
    open: async (page) => {
      await page.goto("/console/system?metric=nothing-like-this");
      await expect(page.getByRole("button", { name: "Clear filters" })).toBeVisible();
    },
  },
  {
    name: "before a copy of the records",
    as: "root",
    open: async (page) => {
      await page.goto("/console/system");
      await page.getByRole("button", { name: "Download a copy" }).click();
      await expect(page.getByRole("button", { name: "Make the copy" })).toBeVisible();
    },
  },
  {
    name: "after a failure",
    as: "root",
    open: async (page, { watch }) => {
      watch.expectProblem(/ERR_CONNECTION_REFUSED/);
      await page.goto("/console/system");
      await expect(page.getByRole("table")).toBeVisible();
      await refuse(page);
      await expect(page.getByRole("alert")).toHaveCount(2, { timeout: 10_000 });
    },
  },
  {
    name: "without any answer",
    as: "root",
    open: async (page, { watch }) => {
      watch.expectProblem(/ERR_CONNECTION_REFUSED/);
      await refuse(page);
      await page.goto("/console/system");
      await expect(page.getByRole("alert")).toHaveCount(2);
    },
  },
  {
    name: "with an open menu",
    as: "root",
    open: async (page) => {
      await page.goto("/console/system");
      await page.getByRole("button", { name: /^Theme/ }).click();
      await expect(page.getByRole("menuitemradio", { name: "Dark" })).toBeVisible();
    },
  },
];

export default views;
