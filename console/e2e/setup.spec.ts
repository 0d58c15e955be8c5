// Journeys of the first run, each on a gateway of its own that is not set up yet.

import { expect, type Page } from "@playwright/test";
import { type Gateway, startGateway } from "./support/gateway";
import { keyboardOf } from "./support/keyboard";
import { test as base, Watch } from "./support/test";
import { startUpstream } from "./support/upstream";

const PASSWORD = "a long enough password";

/** A fresh gateway beside the worker's. */
const test = base.extend<{ fresh: Gateway }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from a pattern.
  fresh: async ({}, use) => {
    const fresh = await startGateway();
    await use(fresh);
    await fresh.stop();
  },
  baseURL: async ({ fresh }, use) => use(fresh.address),
  watch: async ({ page, fresh }, use) => {
    const watch = new Watch(fresh);
    watch.follow(page);
    await use(watch);
    expect(watch.problems()).toEqual([]);
  },
});

async function sayWho(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "User name" }).fill("ana");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
}

test("1 · a fresh start ends in a priced call that is seen in the log", async ({ page, fresh }) => {
  await page.goto(`/setup?code=${fresh.setupCode}`);
  await sayWho(page);
  await page.getByRole("radio", { name: "My team" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("radio", { name: "Demo channel" })).toBeChecked();
  await page.getByRole("button", { name: "Continue" }).click();

  await expect(page.getByRole("heading", { name: "Does it answer?" })).toBeVisible();
  await expect(page.getByText("One stream")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();

  await expect(page.getByText("Waiting for your first call…")).toBeVisible();
  await expect(page.getByText(/^sk-/).first()).toBeVisible();
  await page.getByRole("button", { name: "Run from here" }).click();
  const line = page.getByRole("region", { name: "Log line of the first call" });
  await expect(line).toContainText("demo-");
  await expect(line.getByText(/^\$0\.\d*[1-9]\d*$/)).toBeVisible();
  await page.getByRole("link", { name: "Go to the overview" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
});

test("1 · a fresh start with a provider of one's own: its models are read, it is tested and called", async ({
  browser,
}) => {
  const upstream = await startUpstream();
  const price = '[[prices]]\nmodel = "model-000"\ninput = "1"\noutput = "2"\n';
  const gateway = await startGateway({ OUTBOUND__ALLOW_PRIVATE: "127.0.0.0/8" }, price);
  const context = await browser.newContext({ baseURL: gateway.address, locale: "en-US" });
  try {
    const page = await context.newPage();
    const watch = new Watch(gateway);
    watch.follow(page);
    await page.goto(`/setup?code=${gateway.setupCode}`);
    await sayWho(page);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("radio", { name: "A provider" }).click();
    await page.getByRole("button", { name: "Continue" }).click();

    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Connect a provider");
    await page.getByRole("combobox", { name: "A provider" }).click();
    await page.getByRole("option", { name: "OpenAI", exact: true }).click();
    await page.getByLabel("Base address").fill(`${upstream.address}/v1`);
    await page.getByLabel("API key", { exact: true }).fill("sk-of-the-upstream");
    await page.getByRole("button", { name: "Read its models" }).click();
    await page.getByRole("button", { name: "Save and test" }).click();
    await expect(page.getByRole("heading", { name: "Does it answer?" })).toBeVisible();
    await expect(page.getByText("One stream")).toBeVisible();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Run from here" }).click();
    const line = page.getByRole("region", { name: "Log line of the first call" });
    await expect(line).toContainText("model-000");
    await expect(line.getByText(/^\$0\.\d*[1-9]\d*$/)).toBeVisible();
    expect(watch.problems()).toEqual([]);
  } finally {
    await context.close();
    await gateway.stop();
    await upstream.stop();
  }
});

test("1, 45 · a fresh start by keyboard alone", async ({ page, fresh }) => {
  await page.goto(`/setup?code=${fresh.setupCode}`);
  await expect(page.getByRole("textbox", { name: "User name" })).toBeVisible();
  const keyboard = keyboardOf(page);
  await keyboard.to(page.getByRole("textbox", { name: "User name" }));
  await page.keyboard.type("ana");
  await keyboard.to(page.getByLabel("Password", { exact: true }));
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  for (let step = 0; step < 3; step += 1) {
    await keyboard.press("Continue");
  }
  await keyboard.press("Run from here");
  await expect(page.getByRole("region", { name: "Log line of the first call" })).toContainText(
    "demo-",
  );
});

test("2 · setup is refused without the right code, and wrong ones throttle only themselves", async ({
  page,
  fresh,
  watch,
}) => {
  watch.expectProblem(/403|429/);
  await page.goto("/setup?code=not-the-code");
  const tryIt = async () => {
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
  };
  await sayWho(page);
  await tryIt();
  const code = page.getByRole("textbox", { name: "Setup code" });
  await expect(code).toHaveAccessibleDescription(/The code is wrong or over/);
  const body = { code: "wrong", username: "ana", password: PASSWORD, demo: true };
  for (let wrong = 2; wrong <= 5; wrong += 1) {
    await page.request.post("/api/setup", { data: body });
  }
  const sixth = await page.request.post("/api/setup", { data: body });
  expect(sixth.status()).toBe(429);
  // Wrong codes of others never keep the owner, who has the right one, from setting up.
  const right = { ...body, code: fresh.setupCode };
  expect((await page.request.post("/api/setup", { data: right })).status()).toBe(200);
});

test("2 · setup is over once it is done", async ({ page, fresh }) => {
  const body = { code: fresh.setupCode, username: "ana", password: PASSWORD, demo: true };
  expect((await page.request.post("/api/setup", { data: body })).status()).toBe(200);
  expect((await page.request.post("/api/setup", { data: body })).status()).toBe(409);
  await page.goto(`/setup?code=${fresh.setupCode}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Set up already");
});
