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
];

export default views;
