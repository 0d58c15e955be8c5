// The playground's pages and states.

import { makeChannel } from "../support/accounts";
import { openPlayground, replies, send, settledReply } from "../support/playground";
import { expect } from "../support/test";
import type { View } from "../support/views";

const TEXT = "a list:\n\n- one\n\n```js\nconst x = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |";

const views: readonly View[] = [
  {
    name: "before the first message",
    as: "user",
    open: async (page) => {
      await openPlayground(page);
      await expect(page.getByLabel("Model", { exact: true }).first()).toHaveValue("demo-chat");
    },
  },
  {
    name: "a reply with reasoning, code and a table",
    as: "user",
    open: async (page) => {
      await openPlayground(page, { model: "demo-reasoning" });
      await send(page, TEXT);
      const reply = await settledReply(page);
      await expect(reply.locator("pre code span span").first()).toBeVisible();
    },
  },
  {
    name: "the code panel",
    as: "user",
    open: async (page) => {
      await openPlayground(page, { model: "demo-chat", code: true });
      await expect(page.getByRole("dialog").locator("pre")).toContainText("curl");
    },
  },
  {
    name: "a call that fails",
    as: "user",
    open: async (page, { gateway, root, watch }) => {
      watch.expectProblem(/status of 503/);
      const { model } = await makeChannel(gateway, root, { faults: { status: 503 } });
      await openPlayground(page, { model });
      await send(page, "hello");
      await expect(replies(page).last().getByRole("alert")).toBeVisible();
    },
  },
  {
    name: "calls through one channel",
    as: "root",
    open: async (page, { gateway, root }) => {
      const { id, name, model } = await makeChannel(gateway, root);
      await openPlayground(page, { model, channel: id });
      await expect(page.getByText(`Calls go through ${name} alone`)).toBeVisible();
    },
  },
  {
    name: "embeddings",
    as: "user",
    open: async (page) => {
      await openPlayground(page, { endpoint: "embeddings", model: "demo-embedding" });
      await page.getByLabel("Texts 1").fill("red fox");
      await page.getByRole("button", { name: "Run" }).click();
      await expect(page.getByRole("table", { name: "Vectors" })).toBeVisible();
    },
  },
  {
    name: "a realtime session",
    as: "user",
    open: async (page) => {
      await openPlayground(page, { endpoint: "realtime", model: "demo-realtime" });
      await page.getByRole("button", { name: "Connect" }).click();
      await expect(page.getByRole("list", { name: "Events" })).toContainText("session.updated");
    },
  },
  {
    name: "the comparison",
    as: "user",
    open: async (page) => {
      await page.goto("/console/playground/compare?models=demo-chat,demo-reasoning");
      await send(page, "compare");
      await expect(page.getByRole("table").getByText("Complete")).toHaveCount(2);
    },
  },
];

export default views;
