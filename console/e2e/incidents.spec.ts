// An incident from its rule to its end: seen, drained, noted, resolved.

import type { Page } from "@playwright/test";
import { type Account, callModel, makeChannel, makeKey, manage, unique } from "./support/accounts";
import type { Gateway } from "./support/gateway";
import { expect, test } from "./support/test";

const OPENS_MS = 60_000;

type Failing = Awaited<ReturnType<typeof makeChannel>>;

/** Calls a channel until it is paused, and opens its incident once a rule has found it. */
async function openIncident(page: Page, gateway: Gateway, root: Account, channel: Failing) {
  const made = await makeKey(gateway, root);
  for (let call = 0; call < 6; call += 1) {
    await (await callModel(gateway, made.key, "Hello", { model: channel.model })).text();
  }
  await page.goto("/console/incidents?state=open&rule=channel_down");
  const line = page.getByRole("row").filter({ hasText: channel.name }).first();
  await expect(line).toBeVisible({ timeout: OPENS_MS });
  await expect(page.getByRole("region", { name: "Open incident" })).toBeVisible();
  await line.getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(channel.name);
  return made;
}

test("33 · a failing channel opens an incident; it is taken, drained, noted and resolved", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  test.slow();
  const channel = await makeChannel(gateway, root, {
    name: unique("failing"),
    faults: { status: 500 },
  });
  const { name } = await openIncident(page, gateway, root, channel);
  const causes = page.getByRole("region", { name: "What upstreams said" });
  await expect(causes).toContainText("500 server_error");
  await expect(causes.getByRole("link", { name: "Open call" })).toBeVisible();
  await page.getByRole("button", { name: "I am on it" }).click();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline).toContainText("Taken");
  await expect(timeline).toContainText("The channel: server_error");
  await expect(timeline).toContainText("by the gateway itself");
  await page.getByRole("button", { name: "Drain" }).click();
  await expect(timeline).toContainText("Channel drained");
  await page.getByRole("textbox", { name: "Note" }).fill("The provider has trouble.");
  await page.getByRole("button", { name: "Add note" }).click();
  await expect(timeline).toContainText("The provider has trouble.");
  await expect(page.getByRole("region", { name: "Affected" })).toContainText(channel.model);
  await expect(page.getByRole("region", { name: "Affected" })).toContainText(name);

  await page.getByRole("button", { name: "Resolve" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("They have mended it.");
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await expect(timeline).toContainText("They have mended it.");
  await expect(page.getByRole("button", { name: "Resolve" })).toHaveCount(0);
});

test("33 · from an incident channels swap their priority, calls try more, and routing is explained", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  test.slow();
  const failing = await makeChannel(gateway, root, { faults: { status: 500 }, priority: 20 });
  const models = [`${failing.model}=demo-chat`];
  const spare = await makeChannel(gateway, root, { name: unique("spare"), models, priority: 7 });
  await openIncident(page, gateway, root, failing);

  const timeline = page.getByRole("region", { name: "Timeline" });
  await page.getByRole("button", { name: "Swap priority" }).click();
  const dialog = page.getByRole("dialog", { name: "Swap priority" });
  await dialog.getByRole("radio", { name: spare.name }).check();
  await expect(dialog).toContainText("priority 7 · lists 1 of its 1 models");
  await dialog.getByRole("button", { name: "Swap priority" }).click();
  await expect(timeline).toContainText(`${failing.name} has priority 7 now`);
  const priority = async ({ id }: { id: number }) =>
    (await manage<{ priority: number }>(gateway, root, "GET", `/api/channel/${id}`)).priority;
  expect([await priority(failing), await priority(spare)]).toEqual([7, 20]);

  await page.getByRole("button", { name: "Raise attempts" }).click();
  const attempts = page.getByRole("dialog", { name: "Raise attempts" });
  await attempts.getByRole("textbox").fill("9");
  await attempts.getByRole("button", { name: "Raise attempts" }).click();
  await expect(timeline).toContainText("A call may try 9 upstreams now, 6 before.");

  const facts = page.getByRole("region", { name: "What was measured" });
  await facts.getByRole("link", { name: failing.model }).click();
  await expect(page).toHaveURL(/\/console\/routing\?model=/);
  const tiers = page.getByRole("list", { name: "Tried in this order" });
  await expect(tiers.getByRole("link", { name: spare.name })).toBeVisible();
});
