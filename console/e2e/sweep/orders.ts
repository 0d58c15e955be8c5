import { expect } from "@playwright/test";
import { manage, unique } from "../support/accounts";
import type { View } from "../support/views";
import { deliver, paidEvent } from "../support/webhook";

const views: readonly View[] = [
  {
    name: "codes",
    as: "root",
    open: async (page, { gateway, root }) => {
      const body = { name: unique("batch"), quota: 500_000, count: 2 };
      await manage(gateway, root, "POST", "/api/redemption/", body);
      await page.goto("/console/codes");
      await expect(page.getByRole("table")).toBeVisible();
    },
  },
  {
    name: "a new batch of codes",
    as: "root",
    open: async (page) => {
      await page.goto("/console/codes?open=new");
      await page.getByRole("textbox", { name: "Batch", exact: true }).fill(unique("batch"));
      await page.getByRole("button", { name: "Make codes" }).click();
      await expect(page.getByRole("button", { name: "Save as CSV" })).toBeVisible();
    },
  },
  {
    name: "codes with nothing found",
    as: "root",
    open: async (page, { gateway, root }) => {
      const body = { name: unique("batch"), quota: 500_000, count: 1 };
      await manage(gateway, root, "POST", "/api/redemption/", body);
      await page.goto("/console/codes?name=no-such-batch");
      await expect(page.getByRole("button", { name: "Clear filters" })).toBeVisible();
    },
  },
  {
    name: "orders, one of them open",
    as: "root",
    open: async (page, { gateway, root }) => {
      const body = { amount: "5", provider: "sandbox" };
      const order = await manage<{ order_id: string }>(gateway, root, "POST", "/api/topup/", body);
      await page.goto(`/console/orders?order=${order.order_id}`);
      await expect(page.getByRole("dialog").getByText("No deliveries")).toBeVisible();
    },
  },
  {
    name: "orders with nothing found",
    as: "root",
    open: async (page) => {
      await page.goto("/console/orders?status=disputed");
      await expect(page.getByText(/^No orders yet$|match/).first()).toBeVisible();
    },
  },
  {
    name: "deliveries, a refused one open",
    as: "root",
    open: async (page, { gateway }) => {
      const order = { order_id: "ord_x", session_id: "cs_x", amount: "1" };
      await deliver(gateway, paidEvent(order, unique("evt")), "another secret");
      await page.goto("/console/orders?view=deliveries&verdict=bad_signature");
      await page.getByRole("row").nth(1).getByRole("button").click();
      await expect(page.getByText(/^A refused delivery holds no event/)).toBeVisible();
    },
  },
];

export default views;
