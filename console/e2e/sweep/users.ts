import { expect } from "@playwright/test";
import { makeKey, manage } from "../support/accounts";
import type { View } from "../support/views";

const section = (name: string, text: RegExp): View => ({
  name: `a user's ${name}`,
  as: "root",
  open: async (page, { gateway, root }) => {
    await makeKey(gateway, root);
    await page.goto(`/console/users/${root.id}?section=${name}`);
    await expect(page.getByText(text).first()).toBeVisible();
  },
});

const views: readonly View[] = [
  {
    name: "the list, with a selection",
    as: "root",
    open: async (page) => {
      await page.goto("/console/users");
      await page.getByRole("checkbox", { name: "Select this page" }).check();
      await expect(page.getByRole("region", { name: "Selection" })).toBeVisible();
    },
  },
  {
    name: "the list, with nothing found",
    as: "root",
    open: async (page) => {
      await page.goto("/console/users?search=nobody-like-this");
      await expect(page.getByRole("button", { name: "Clear filters" })).toBeVisible();
    },
  },
  {
    name: "the list, without any answer",
    as: "root",
    open: async (page, { watch }) => {
      watch.expectProblem(/ERR_CONNECTION_REFUSED/);
      await page.route(/\/api\/user\/\?/, (route) => route.abort("connectionrefused"));
      await page.goto("/console/users");
      await expect(page.getByRole("alert")).toBeVisible();
    },
  },
  {
    name: "a new user",
    as: "root",
    open: async (page) => {
      await page.goto("/console/users?open=new");
      await page.getByRole("button", { name: "Create user" }).click();
      await expect(page.getByText("Enter a password.")).toBeVisible();
    },
  },
  {
    name: "an import after its dry run",
    as: "root",
    open: async (page) => {
      await page.goto("/console/users?open=import");
      const buffer = Buffer.from("username,email\nsweep-import,sweep@example.org\nroot,\n");
      const file = { name: "users.csv", mimeType: "text/csv", buffer };
      await page.locator('input[type="file"]').setInputFiles(file);
      await page.getByRole("button", { name: "Dry run" }).click();
      await expect(page.getByRole("button", { name: "Create 1 user" })).toBeEnabled();
    },
  },
  section("profile", /^State and removal$/),
  section("keys", /^Works$/),
  section("usage", /^No calls$|^By model$/),
  section("orders", /^No payments$|^Credit$/),
  section("sessions", /^Signed in$/),
  section("audit", /^Act$|^No changes on record$/),
  {
    name: "adjusting a balance",
    as: "root",
    open: async (page, { root }) => {
      await page.goto(`/console/users/${root.id}`);
      await page.getByRole("button", { name: "Adjust balance" }).click();
      await page.getByRole("dialog").getByLabel("Amount").fill("1");
      await expect(page.getByText("Balance after")).toBeVisible();
    },
  },
  {
    name: "a user who is not there",
    as: "root",
    open: async (page, { watch }) => {
      watch.expectProblem(/404/);
      await page.goto("/console/users/999999");
      await expect(page.getByRole("alert")).toBeVisible();
    },
  },
  {
    name: "groups",
    as: "root",
    open: async (page) => {
      await page.goto("/console/groups");
      await expect(page.getByRole("table")).toBeVisible();
    },
  },
  {
    name: "a group",
    as: "root",
    open: async (page, { gateway, root }) => {
      const [first] = await manage<{ id: number }[]>(gateway, root, "GET", "/api/group/");
      await page.goto(`/console/groups?open=${first?.id}`);
      await expect(page.getByText("The default group stays.")).toBeVisible();
    },
  },
];

export default views;
