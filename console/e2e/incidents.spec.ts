// An incident from its rule to its end: seen, drained, noted, resolved.

import { callModel, makeChannel, makeKey, unique } from "./support/accounts";
import { expect, test } from "./support/test";

const OPENS_MS = 60_000;

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
  const { key, name } = await makeKey(gateway, root);
  for (let call = 0; call < 6; call += 1) {
    await (await callModel(gateway, key, "Hello", { model: channel.model })).text();
  }
  await page.goto("/console/incidents?state=open&rule=channel_down");
  const line = page.getByRole("row").filter({ hasText: channel.name }).first();
  await expect(line).toBeVisible({ timeout: OPENS_MS });
  await expect(page.getByRole("region", { name: "Open incident" })).toBeVisible();
  await line.getByRole("link").click();

  await expect(page.getByRole("heading", { level: 1 })).toContainText(channel.name);
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
