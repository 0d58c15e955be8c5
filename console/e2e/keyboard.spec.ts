// Journeys without a pointer: everything is reached by Tab, arrows, Enter and shortcuts.

import { callModel, makeChannel, makeKey, manage, unique } from "./support/accounts";
import { keyboardOf } from "./support/keyboard";
import { composer, openPlayground, settledReply } from "./support/playground";
import { expect, test } from "./support/test";

test("11, 45 · a chat by keyboard alone", async ({ rootPage: page }) => {
  await openPlayground(page, { model: "demo-chat" });
  await keyboardOf(page).to(composer(page));
  await page.keyboard.type("How are you?");
  await page.keyboard.press("Enter");
  await settledReply(page);
});

test("24, 45 · an API key by keyboard alone, from the palette", async ({ rootPage: page }) => {
  const name = unique("typed");
  await page.goto("/console/overview");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await page.keyboard.press("Control+K");
  await expect(page.getByPlaceholder("Search pages, records and actions")).toBeFocused();
  await page.keyboard.type("New API key");
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog", { name: "New key" });
  await keyboardOf(page).to(drawer.getByLabel("Name", { exact: true }));
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(drawer.getByText("Shown only this once")).toBeVisible();
});

test("35, 45 · a log entry by keyboard alone, found by its request id", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const { key } = await makeKey(gateway, root);
  const answer = await callModel(gateway, key);
  const requestId = answer.headers.get("x-request-id") ?? "";
  await answer.text();
  await page.goto("/console/logs");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  await page.keyboard.press("Control+K");
  await expect(page.getByPlaceholder("Search pages, records and actions")).toBeFocused();
  await page.keyboard.type(requestId);
  await expect(page.getByText("Open the log of this request")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/console/logs/${requestId}`));
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});

test("45 · a channel drains from the palette, and the undo takes it back", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const channel = await makeChannel(gateway, root, { name: unique("drain") });
  const state = async () =>
    (await manage<{ state: string }>(gateway, root, "GET", `/api/channel/${channel.id}`)).state;
  await page.goto("/console/overview");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await page.keyboard.press("Control+K");
  await expect(page.getByPlaceholder("Search pages, records and actions")).toBeFocused();
  await page.keyboard.type("Drain channel");
  await page.keyboard.press("Enter");
  await expect(page.getByPlaceholder("Which channel shall drain?")).toBeVisible();
  await page.keyboard.type(channel.name);
  await expect(page.getByRole("dialog").getByText(channel.name)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect.poll(state).toBe("draining");
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await expect.poll(state).toBe("on");
});
