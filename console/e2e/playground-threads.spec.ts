// Journey of the playground's saved conversations.

import { readFile } from "node:fs/promises";
import { makeUser } from "./support/accounts";
import { composer, openPlayground, replies, send, settledReply } from "./support/playground";
import { expect, signedIn, test } from "./support/test";

function thread(number: number) {
  return {
    id: `thread-${number}`,
    title: `Saved ${number}`,
    pinned: false,
    createdAt: number,
    updatedAt: number,
    settings: { model: "demo-chat" },
    turns: [
      { id: `q${number}`, role: "user", parts: [{ type: "text", text: `Question ${number}` }] },
      {
        id: `a${number}`,
        role: "assistant",
        parts: [{ type: "text", text: `About animal-${number}` }],
      },
    ],
  };
}

test("23 · two hundred conversations are kept, found, exported, imported, and nobody else's", async ({
  userPage: page,
  context,
  gateway,
  root,
}, info) => {
  await openPlayground(page, { model: "demo-chat" });
  await send(page, "my own conversation");
  await settledReply(page);
  const list = page.getByRole("list", { name: "Saved conversations" });
  await expect(list.getByRole("listitem")).toHaveCount(1);

  const file = {
    format: "modelgate-threads",
    version: 1,
    threads: Array.from({ length: 199 }, (_, n) => thread(n)),
  };
  await page.locator('input[type="file"][accept*="json"]').setInputFiles({
    name: "threads.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(file)),
  });
  await expect(page.getByText("199 conversations were imported")).toBeVisible();
  await expect(list.getByRole("listitem")).toHaveCount(200);

  await page.reload();
  await expect(replies(page)).toContainText("my own conversation");
  await expect(list.getByRole("listitem")).toHaveCount(200);
  await page.getByRole("searchbox", { name: "Search conversations" }).fill("animal-123");
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await list.getByRole("button", { name: /^Saved 123/ }).click();
  await expect(replies(page)).toContainText("About animal-123");

  await list.getByRole("button", { name: "Actions for Saved 123" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Rename" }).fill("Foxes");
  await page.keyboard.press("Enter");
  await list.getByRole("button", { name: "Actions for Foxes" }).click();
  await page.getByRole("menuitem", { name: "Pin" }).click();
  await page.getByRole("searchbox", { name: "Search conversations" }).fill("");
  await expect(list.getByRole("listitem").first()).toContainText("Foxes");
  await list.getByRole("button", { name: "Actions for Saved 198" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(list.getByRole("listitem")).toHaveCount(199);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(list.getByRole("listitem")).toHaveCount(200);

  await page.getByRole("button", { name: "Import and export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export all (JSON)" }).click();
  const saved = info.outputPath("threads.json");
  await (await download).saveAs(saved);
  const exported = JSON.parse(await readFile(saved, "utf8")) as { threads: unknown[] };
  expect(exported.threads).toHaveLength(200);

  await context.clearCookies();
  await signedIn(context, gateway, await makeUser(gateway, root));
  await openPlayground(page);
  await expect(page.getByText("Conversations that you begin are kept here.")).toBeVisible();
  await expect(composer(page)).toBeVisible();
});
