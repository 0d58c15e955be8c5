// What the page of one channel tells about its upstream: the balance at the vendor, and requests as they
// arrive there. Both against a stand-in of a vendor, on a gateway that may call loopback.

import type { Page } from "@playwright/test";
import { type Account, callModel, makeKey, manage, setUp } from "./support/accounts";
import { type Gateway, startGateway } from "./support/gateway";
import { test as base, expect, signedIn } from "./support/test";
import { startUpstream, type Upstream } from "./support/upstream";

interface Fixtures {
  vendor: Upstream;
  near: Gateway;
  owner: Account;
  ownerPage: Page;
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from a pattern.
  vendor: async ({}, use) => {
    const vendor = await startUpstream();
    await use(vendor);
    await vendor.stop();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from a pattern.
  near: async ({}, use) => {
    const gateway = await startGateway({ OUTBOUND__ALLOW_PRIVATE: "127.0.0.0/8" });
    await use(gateway);
    await gateway.stop();
  },
  owner: async ({ near }, use) => {
    await use(await setUp(near));
  },
  ownerPage: async ({ browser, near, owner }, use) => {
    const context = await browser.newContext({ baseURL: near.address, locale: "en-US" });
    await signedIn(context, near, owner);
    await use(await context.newPage());
    await context.close();
  },
});

async function makeChannel(gateway: Gateway, root: Account, settings: object): Promise<number> {
  const { id } = await manage<{ id: number }>(gateway, root, "POST", "/api/channel/", settings);
  return id;
}

test("what is left at the vendor is told for each key, refused ones too", async ({
  vendor,
  near,
  owner,
  ownerPage: page,
}) => {
  const base_url = `${vendor.address}/v1`;
  const id = await makeChannel(near, owner, {
    name: "told",
    type: "deepseek",
    base_url,
    models: ["model-000"],
    keys: ["sk-right", "sk-revoked"],
  });
  await page.goto(`/console/channels/${id}?tab=keys`);
  await page.getByRole("button", { name: "What is left at the vendor?" }).click();
  const told = page.getByRole("status").getByRole("listitem");
  await expect(told).toHaveCount(2);
  await expect(told.first()).toHaveText("Key 1: 110.5 CNY");
  await expect(told.last()).toContainText("Key 2: ");
  await expect(told.last()).toContainText("Incorrect API key provided");

  const silent = await makeChannel(near, owner, {
    name: "silent",
    type: "openai",
    base_url,
    models: ["model-001"],
    key: "sk-right",
  });
  await page.goto(`/console/channels/${silent}?tab=keys`);
  await page.getByRole("button", { name: "What is left at the vendor?" }).click();
  await expect(page.getByText("This provider does not tell what is left")).toBeVisible();
});

test("a changed request arrives upstream as its preview says", async ({
  vendor,
  near,
  owner,
  ownerPage: page,
}) => {
  const id = await makeChannel(near, owner, {
    name: "changed",
    type: "openai",
    base_url: `${vendor.address}/v1`,
    models: ["model-000"],
    key: "sk-right",
  });
  await manage(near, owner, "POST", "/api/price/", {
    model: "model-000",
    prices: { input: "1", output: "1" },
  });
  await page.goto(`/console/channels/${id}`);
  await page.getByRole("button", { name: /^Advanced/ }).click();
  await expect(page.getByText("A request with these changes")).toHaveCount(0);
  await page
    .getByLabel("Body fields to set (JSON)")
    .fill('{"service_tier": "flex", "temperature": null}');
  await page.getByRole("combobox", { name: "Body fields to drop" }).fill("user");
  await page.keyboard.press("Enter");
  const preview = page.getByText("A request with these changes").locator("xpath=..").locator("pre");
  await expect(preview).toContainText('"service_tier": "flex"');
  const shown = JSON.parse((await preview.textContent()) ?? "") as Record<string, unknown>;
  expect(Object.keys(shown)).toEqual(["model", "messages", "stream", "service_tier"]);
  await page.getByRole("button", { name: "Save changes" }).click();
  const { key } = await makeKey(near, owner);
  const sent = { model: "model-000", temperature: 1, user: "user-1", stream: true };
  // Calls know of a change a moment after it was saved.
  await expect(async () => {
    await (await callModel(near, key, "Hello", sent)).text();
    const { stream_options: _, ...arrived } = vendor.lastBody() as Record<string, unknown>;
    expect(arrived).toEqual(shown);
  }).toPass();
});
