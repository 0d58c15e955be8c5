import { expect } from "@playwright/test";
import { callModel, makeChannel, makeKey, unique } from "../support/accounts";
import type { View } from "../support/views";

const OPENS_MS = 60_000;

const views: readonly View[] = [
  {
    name: "none matches",
    as: "root",
    open: async (page) => {
      await page.goto("/console/incidents?rule=certificate_expiring");
      await expect(page.getByText("No incident matches")).toBeVisible();
    },
  },
  {
    name: "one in detail",
    as: "root",
    open: async (page, { gateway, root }) => {
      const faults = { status: 500 };
      const channel = await makeChannel(gateway, root, { name: unique("down"), faults });
      const { key } = await makeKey(gateway, root);
      for (let call = 0; call < 6; call += 1) {
        await (await callModel(gateway, key, "Hello", { model: channel.model })).text();
      }
      await page.goto("/console/incidents?rule=channel_down");
      const line = page.getByRole("row").filter({ hasText: channel.name }).first();
      await line.getByRole("link").click({ timeout: OPENS_MS });
      await expect(page.getByRole("region", { name: "Timeline" })).toBeVisible();
    },
  },
];

export default views;
