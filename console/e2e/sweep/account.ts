import { expect } from "@playwright/test";
import type { View } from "../support/views";

const section = (name: string, heading: string): View => ({
  name,
  as: "user",
  open: async (page) => {
    await page.goto(`/console/account?section=${name}`);
    await expect(page.getByRole("heading", { level: 2, name: heading })).toBeVisible();
    await expect(page.getByLabel("Loading")).toHaveCount(0);
  },
});

const views: readonly View[] = [
  section("profile", "Profile"),
  section("security", "Two-factor authentication"),
  section("sessions", "Sessions"),
  section("tokens", "Access tokens"),
  section("preferences", "Preferences"),
  {
    name: "setting up an authenticator app",
    as: "user",
    open: async (page) => {
      await page.goto("/console/account?section=security");
      await page.getByRole("button", { name: "Set up an authenticator app" }).click();
      await expect(page.getByRole("img", { name: /^QR code/ })).toBeVisible();
      await page.getByRole("button", { name: "Confirm" }).click();
      await expect(page.getByText("Enter a code.")).toBeVisible();
    },
  },
  {
    name: "deleting the account",
    as: "user",
    open: async (page) => {
      await page.goto("/console/account");
      await page.getByRole("button", { name: "Delete account" }).click();
      await expect(page.getByRole("dialog").getByLabel("Present password")).toBeVisible();
    },
  },
  {
    name: "a new access token",
    as: "user",
    open: async (page) => {
      await page.goto("/console/account?section=tokens");
      await page.getByLabel("Name of the token").fill("script");
      await page.getByRole("button", { name: "Make token" }).click();
      await expect(page.getByRole("button", { name: "I saved it" })).toBeVisible();
    },
  },
];

export default views;
