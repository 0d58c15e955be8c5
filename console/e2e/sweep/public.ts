import { expect } from "@playwright/test";
import type { View } from "../support/views";

const views: readonly View[] = [
  {
    name: "sign in, refused",
    open: async (page, { watch }) => {
      watch.expectProblem(/401/);
      await page.goto("/login");
      await page.getByRole("textbox", { name: "User name or e-mail" }).fill("nobody-at-all");
      await page.getByLabel("Password", { exact: true }).fill("wrong password");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("alert")).toBeVisible();
    },
  },
  {
    name: "second step",
    open: async (page) => {
      await page.goto("/login/2fa");
      await expect(page.getByRole("textbox", { name: "Six-digit code" })).toBeVisible();
    },
  },
  {
    name: "register",
    open: async (page) => {
      await page.goto("/register");
      await expect(page.getByRole("button", { name: "Create account" })).toBeVisible();
    },
  },
  {
    name: "forgotten password",
    open: async (page) => {
      await page.goto("/forgot");
      await expect(page.getByText("This gateway sends no mail.")).toBeVisible();
    },
  },
  {
    name: "new password",
    open: async (page) => {
      await page.goto("/reset?token=abc");
      await expect(page.getByRole("button", { name: "Set password" })).toBeVisible();
    },
  },
  {
    name: "setup, done before",
    open: async (page) => {
      await page.goto("/setup");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Set up already");
    },
  },
  {
    name: "models",
    open: async (page) => {
      await page.goto("/models");
      await expect(page.getByRole("link", { name: "demo-chat" })).toBeVisible();
    },
  },
  {
    name: "one model",
    open: async (page) => {
      await page.goto("/models/demo-chat");
      await expect(page.getByRole("table", { name: "Prices" })).toBeVisible();
    },
  },
  {
    name: "service status",
    open: async (page) => {
      await page.goto("/status");
      await expect(page.getByRole("table")).toBeVisible();
    },
  },
];

export default views;
