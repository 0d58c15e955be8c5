// Journeys of the overview and of what stands around every page.

import { addBalance, callModel, makeChannel, makeKey, manage, unique } from "./support/accounts";
import { expect, test } from "./support/test";

test("the overview's figures are those of the ledger", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const { key } = await makeKey(gateway, user);
  expect((await callModel(gateway, key, "one")).status).toBe(200);
  const refused = await callModel(gateway, key, "two", { model: "no-such-model" });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  await page.goto("/console");
  await expect(page).toHaveURL(/\/console\/overview$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  const calls = page.getByRole("region", { name: "Last calls" });
  await expect(calls.getByRole("link", { name: "demo-chat" })).toBeVisible();
  await expect(calls.getByText("200")).toBeVisible();
  // What is not known is a dash with its reason, never a zero.
  const failed = page.getByRole("article", { name: "Failed today" });
  await expect(failed).toContainText(/%|—/);
  await expect(page.getByRole("region", { name: "Getting started" })).toContainText(
    "Make the first call",
  );
  const self = await manage<{ quota_usd: string }>(gateway, user, "GET", "/api/user/self");
  const balance = page.getByRole("region", { name: "Balance" });
  await page.reload();
  await expect(balance.locator(`[title="Exactly ${self.quota_usd} USD"]`)).toBeVisible();
});

test("an administrator sees channels by health and models that nobody serves", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const channel = await makeChannel(gateway, root, { priority: 1 });
  await manage(gateway, root, "POST", `/api/channel/${channel.id}/state`, { state: "off" });
  await page.goto("/console/overview");
  await expect(page.getByRole("region", { name: "Channels by health" })).toContainText(
    channel.name,
  );
  await expect(page.getByRole("region", { name: "Top models, 24 hours" })).toBeVisible();
  await page.getByRole("region", { name: "Channels by health" }).getByText(channel.name).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(channel.name);
  await page.goBack();
  await expect(page.getByRole("region", { name: "Getting started" })).toContainText(
    "Take a backup of the records",
  );
  const failed = page.getByRole("article", { name: "Failed today" });
  await failed.getByRole("link", { name: "Failed today" }).click();
  await expect(page).toHaveURL(/\/console\/logs\?status_class=failure$/);
  await page.goBack();
  await expect(page.getByRole("region", { name: "Errors by cause, 24 hours" })).toBeVisible();
});

test("45 · the palette finds a record by name and pages, by keyboard alone", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const channel = await makeChannel(gateway, root, { name: unique("palette") });
  await page.goto("/console/overview");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await page.keyboard.press("Control+K");
  const field = page.getByPlaceholder("Search pages, records and actions");
  await expect(field).toBeFocused();
  await page.keyboard.type(channel.name);
  await expect(page.getByRole("dialog").getByText(channel.name).first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/console/channels/${channel.id}`));

  await page.keyboard.press("Control+K");
  await expect(field).toBeFocused();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Settings");
  await expect(page.getByRole("dialog").getByText(channel.name)).toHaveCount(0);
  await expect(page.getByRole("dialog").getByText("Settings", { exact: true })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/settings/);

  await page.goto("/console/overview");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await expect(page).toHaveURL(/\/console\/logs/);
});

test("45 · Enter right after typing opens what was typed, not what was found before", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const before = await makeChannel(gateway, root, { name: unique("earlier") });
  const meant = await makeChannel(gateway, root, { name: unique("meant") });
  await page.goto("/console/overview");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await page.keyboard.press("Control+K");
  const field = page.getByPlaceholder("Search pages, records and actions");
  await field.fill(before.name);
  await expect(page.getByRole("dialog").getByText(before.name)).toBeVisible();
  await field.fill(meant.name);
  await field.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/console/channels/${meant.id}$`));
});

test("49 · an upgrade while the page is open is told, and nothing typed is lost", async ({
  rootPage: page,
}) => {
  await page.clock.install();
  await page.goto("/console/system");
  const filter = page.getByRole("searchbox").first();
  await filter.fill("half-typed");
  await expect(page.getByText("A new version is on the server")).toHaveCount(0);
  await page.route("/console", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/console-[\w-]+\.js/, "console-another.js");
    await route.fulfill({ response: answer, body });
  });
  await page.clock.runFor(65_000);
  await expect(page.getByText("A new version is on the server")).toBeVisible();
  await expect(filter).toHaveValue("half-typed");
});

test("an announcement is shown until it is dismissed in this browser", async ({
  userPage: page,
  gateway,
  root,
}) => {
  const title = unique("announcement");
  await manage(gateway, root, "POST", "/api/notice/", { title, body: "<b>Tonight</b>" });
  await page.goto("/console/overview");
  const strip = page.getByRole("region", { name: "Announcement" }).filter({ hasText: title });
  await expect(strip).toContainText("<b>Tonight</b>");
  await strip.getByRole("button", { name: "Dismiss" }).click();
  await expect(strip).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await expect(strip).toHaveCount(0);
});

test("the user menu shows the balance that the ledger has", async ({
  userPage: page,
  gateway,
  root,
  user,
}) => {
  await addBalance(gateway, root, user, 2.5);
  await page.goto("/console/overview");
  await page.getByRole("button", { name: `Account of ${user.username}` }).click();
  await expect(page.getByRole("menuitem", { name: /Balance/ })).toContainText("$12.50");
});
