import { expect } from "@playwright/test";
import { manage } from "../support/accounts";
import type { View } from "../support/views";

const views: readonly View[] = [
  {
    name: "without payments",
    as: "user",
    open: async (page) => {
      await page.goto("/console/wallet");
      await expect(page.getByText("No payments yet")).toBeVisible();
      await expect(page.getByRole("button", { name: "Continue to checkout" })).toBeVisible();
    },
  },
  {
    name: "with orders and a refused form",
    as: "root",
    open: async (page, { gateway, root }) => {
      await manage(gateway, root, "POST", "/api/topup/", { amount: "5", provider: "sandbox" });
      await page.goto("/console/wallet");
      await expect(page.getByRole("table")).toBeVisible();
      await page.getByRole("textbox", { name: "Amount" }).fill("x");
      await page.getByRole("button", { name: "Continue to checkout" }).click();
      await page.getByRole("button", { name: "Redeem", exact: true }).click();
      await expect(page.getByText("Enter a code.")).toBeVisible();
    },
  },
  {
    name: "an order that waits",
    as: "root",
    open: async (page, { gateway, root }) => {
      const body = { amount: "5", provider: "sandbox" };
      const order = await manage<{ order_id: string }>(gateway, root, "POST", "/api/topup/", body);
      await page.goto(`/console/wallet?order=${order.order_id}`);
      await expect(page.getByText(/^Waiting for the payment provider/)).toBeVisible();
    },
  },
  {
    name: "an order that is not there",
    as: "user",
    open: async (page, { watch }) => {
      watch.expectProblem(/404/);
      await page.goto("/console/wallet?order=ord_none");
      await expect(page.getByRole("alert")).toBeVisible();
    },
  },
  {
    name: "without any answer",
    as: "user",
    open: async (page, { watch }) => {
      watch.expectProblem(/ERR_CONNECTION_REFUSED/);
      await page.route(/\/api\/(topup|stats|user\/aff)/, (route) =>
        route.abort("connectionrefused"),
      );
      await page.goto("/console/wallet");
      await expect(page.getByRole("alert")).toHaveCount(4);
    },
  },
];

export default views;
