import { expect } from "@playwright/test";
import { callModel, makeChannel, makeKey, unique } from "../support/accounts";
import type { View } from "../support/views";

const OPENS_MS = 60_000;

/** The page of a channel that fails. */
const openOne: View["open"] = async (page, { gateway, root }) => {
  const faults = { status: 500 };
  const channel = await makeChannel(gateway, root, {
    name: unique("down"),
    faults,
    priority: 30,
  });
  const models = [`${channel.model}=demo-chat`];
  await makeChannel(gateway, root, { name: unique("spare"), models });
  const { key } = await makeKey(gateway, root);
  for (let call = 0; call < 6; call += 1) {
    await (await callModel(gateway, key, "Hello", { model: channel.model })).text();
  }
  await page.goto("/console/incidents?rule=channel_down");
  const line = page.getByRole("row").filter({ hasText: channel.name }).first();
  await line.getByRole("link").click({ timeout: OPENS_MS });
  await expect(page.getByRole("region", { name: "Timeline" })).toBeVisible();
};

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
    open: openOne,
  },
  {
    name: "swap of priorities",
    as: "root",
    open: async (page, site) => {
      await openOne(page, site);
      await page.getByRole("button", { name: "Swap priority" }).click();
      await expect(page.getByRole("dialog").getByRole("radio").first()).toBeVisible();
    },
  },
];

export default views;
