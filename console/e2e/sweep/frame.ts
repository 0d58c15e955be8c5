import { expect } from "@playwright/test";
import type { View } from "../support/views";

const views: readonly View[] = [
  {
    name: "page not found",
    as: "user",
    open: async (page) => {
      await page.goto("/console/nowhere");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
    },
  },
  {
    name: "an administrators' page for a user",
    as: "user",
    open: async (page) => {
      await page.goto("/console/system");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Not for your role");
    },
  },
  {
    name: "with the user menu open",
    as: "root",
    open: async (page) => {
      await page.goto("/console/system");
      await page.getByRole("button", { name: "Account of root" }).click();
      await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeVisible();
    },
  },
  {
    name: "overview of an administrator",
    as: "root",
    open: async (page) => {
      await page.goto("/console/overview");
      await expect(page.getByRole("article", { name: "Spend today" })).toBeVisible();
      await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    },
  },
  {
    name: "overview of a user",
    as: "user",
    open: async (page) => {
      await page.goto("/console/overview");
      await expect(page.getByRole("region", { name: "Getting started" })).toBeVisible();
      await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    },
  },
  {
    name: "command palette",
    as: "root",
    open: async (page) => {
      await page.goto("/console/system");
      await page.getByRole("button", { name: "Search and commands" }).click();
      await expect(page.getByPlaceholder("Search pages, records and actions")).toBeVisible();
    },
  },
  {
    name: "keyboard shortcuts",
    as: "user",
    open: async (page) => {
      await page.goto("/console/overview");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
      await page.keyboard.press("?");
      await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
    },
  },
];

export default views;
