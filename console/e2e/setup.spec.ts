// Journeys of the first run, each on a gateway of its own that is not set up yet.

import { expect, type Page } from "@playwright/test";
import { type Gateway, startGateway } from "./support/gateway";
import { test as base, Watch } from "./support/test";

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
  await expect(page.getByText("Streamed reply")).toBeVisible();
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

test("2 · setup is refused without the right code, and over once it is done", async ({
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
  for (let wrong = 2; wrong <= 6; wrong += 1) {
    await code.fill(`wrong-${wrong}`);
    await page.getByRole("button", { name: "Continue" }).click();
    await tryIt();
    await expect(code).toBeVisible();
  }
  await expect(page.getByRole("alert")).toContainText(/Too many tries/);

  // Whoever has the code while others guess is set up all the same, from another address or later.
  const later = await startGateway();
  try {
    const body = { code: later.setupCode, username: "ana", password: PASSWORD, demo: true };
    const answer = await page.request.post(`${later.address}/api/setup`, { data: body });
    expect(answer.status()).toBe(200);
    const again = await page.request.post(`${later.address}/api/setup`, { data: body });
    expect(again.status()).toBe(409);
  } finally {
    await later.stop();
  }
  expect(fresh.setupCode).not.toBe("");
});
