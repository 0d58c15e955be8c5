import { expect } from "@playwright/test";
import { manage } from "../support/accounts";
import type { View } from "../support/views";

const views: readonly View[] = [
  {
    name: "routing explained",
    as: "root",
    open: async (page) => {
      await page.goto("/console/routing?model=demo-chat");
      await expect(page.getByRole("list", { name: "Tried in this order" })).toBeVisible();
    },
  },
  {
    name: "routing map",
    as: "root",
    open: async (page) => {
      await page.goto("/console/routing?tab=map&q=demo-chat");
      await expect(page.getByRole("table")).toBeVisible();
    },
  },
  {
    name: "models and prices",
    as: "root",
    open: async (page) => {
      await page.goto("/console/models?search=demo-");
      await expect(page.getByRole("button", { name: "demo-chat", exact: true })).toBeVisible();
    },
  },
  {
    name: "one model",
    as: "root",
    open: async (page) => {
      await page.goto("/console/models?model=demo-chat");
      await expect(page.getByRole("button", { name: "Set price" })).toBeVisible();
    },
  },
  {
    name: "prices compared with a list",
    as: "root",
    open: async (page) => {
      await page.goto("/console/models?open=compare");
      await page.getByText("A price list", { exact: true }).click();
      const list = { "demo-chat": { input_cost_per_token: 1e-6, output_cost_per_token: 4e-7 } };
      const buffer = Buffer.from(JSON.stringify(list));
      const file = { name: "prices.json", mimeType: "application/json", buffer };
      await page.locator('input[type="file"]').setInputFiles(file);
      await page.getByRole("checkbox", { name: "Select row demo-chat input" }).check();
      await expect(page.getByRole("button", { name: "Take over 1" })).toBeEnabled();
    },
  },
  {
    name: "announcements",
    as: "root",
    open: async (page, { gateway, root }) => {
      const notice = { title: "For the sweep", body: "**Soon**", audience: "administrators" };
      await manage(gateway, root, "POST", "/api/notice/", notice);
      await page.goto("/console/announcements");
      await expect(page.getByRole("table").getByText("For the sweep").first()).toBeVisible();
    },
  },
  {
    name: "a new announcement",
    as: "root",
    open: async (page) => {
      await page.goto("/console/announcements?open=new");
      await page.getByRole("textbox", { name: "Text" }).fill("# Soon\n\n- one\n- two");
      await expect(page.getByRole("region", { name: "Preview" })).toContainText("one");
    },
  },
  {
    name: "audit with an open entry",
    as: "root",
    open: async (page) => {
      await page.goto("/console/audit?action=setup&entry=1");
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "audit with nothing found",
    as: "root",
    open: async (page) => {
      await page.goto("/console/audit?action=nothing");
      await expect(page.getByRole("button", { name: "Clear filters" })).toBeVisible();
    },
  },
  {
    name: "tasks",
    as: "root",
    open: async (page) => {
      await page.goto("/console/tasks?state=failed&scope=all");
      await expect(page.getByRole("heading", { level: 1, name: "Tasks" })).toBeVisible();
      await expect(page.getByRole("button", { name: "Clear filters" })).toBeVisible();
    },
  },
  {
    name: "settings with an unsaved change",
    as: "root",
    open: async (page) => {
      await page.goto("/console/settings/limits");
      await page.getByLabel("limits.json_depth").fill("99");
      await expect(page.getByText("1 unsaved change")).toBeVisible();
    },
  },
  {
    name: "settings found",
    as: "root",
    open: async (page) => {
      await page.goto("/console/settings/general?q=mail");
      await expect(page.getByLabel("mail.host")).toBeVisible();
    },
  },
];

export default views;
