// The log: filtered, shared by address, live, exported, and each call in detail.

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { type Account, callModel, makeChannel, makeKey, manage, unique } from "./support/accounts";
import type { Gateway } from "./support/gateway";
import { expect, test } from "./support/test";

interface LoggedCall {
  request_id: string;
  charge_usd: string;
  token_name: string;
}

/** The calls of a user once so many of them are in the log. */
async function logged(gateway: Gateway, user: Account, count: number): Promise<LoggedCall[]> {
  const read = async () =>
    (await manage<{ items: LoggedCall[] }>(gateway, user, "GET", "/api/log/self?limit=1000")).items;
  await expect.poll(async () => (await read()).length).toBe(count);
  return read();
}

const rows = (page: Page) => page.getByRole("row").filter({ has: page.getByRole("link") });

test("35 · eight filters narrow the log, live in the address, and go back one by one", async ({
  rootPage: page,
  gateway,
  root,
  user,
}) => {
  const failing = await makeChannel(gateway, root, { faults: { status: 429 }, priority: 10 });
  const { model } = failing;
  await makeChannel(gateway, root, { models: [`${model}=demo-chat`], priority: 0 });
  const key = await makeKey(gateway, user);
  const calls = [
    await callModel(gateway, key.key, "one", { model }),
    await callModel(gateway, key.key, "two", { model, stream: true }),
    await callModel(gateway, key.key, "three", { model: "nothing-like-this" }),
  ];
  await Promise.all(calls.map((call) => call.text()));
  const [first] = calls;
  await logged(gateway, user, 3);

  await page.goto(`/console/logs?token_id=${key.id}&user_id=${user.id}`);
  await expect(rows(page)).toHaveCount(3);
  await expect(rows(page).last()).toContainText(`${failing.name} 429`);

  await page.getByRole("combobox", { name: "Outcome" }).click();
  await page.getByRole("option", { name: "Success" }).click();
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("combobox", { name: "Model" }).fill(model);
  await page.getByRole("option", { name: model, exact: true }).click();
  await page.getByRole("combobox", { name: "Streaming" }).click();
  await page.getByRole("option", { name: "In one piece" }).click();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("textbox", { name: "Endpoint" }).fill("/v1/chat/completions");
  await page.getByRole("textbox", { name: "Endpoint" }).press("Enter");
  await page.getByRole("textbox", { name: "IP address" }).fill("127.0.0.1");
  await page.getByRole("textbox", { name: "IP address" }).press("Enter");
  await page.getByRole("combobox", { name: "Source" }).click();
  await page.getByRole("option", { name: "API", exact: true }).click();
  await expect(page).toHaveURL(/source=api/);
  await expect(rows(page)).toHaveCount(1);

  const shared = page.url();
  for (const name of ["token_id", "user_id", "status_class", "model", "stream", "endpoint", "ip"]) {
    expect(new URL(shared).searchParams.has(name)).toBe(true);
  }
  const id = first?.headers.get("x-request-id") ?? "";
  await rows(page).getByRole("link").first().click();
  await expect(page.getByRole("dialog").getByText(id)).toBeVisible();
  await page.goto(shared);
  await expect(rows(page)).toHaveCount(1);
  await page.goBack();
  await page.goBack();
  await expect(page).not.toHaveURL(/open=/);
  await page.goBack();
  await expect(page).not.toHaveURL(/source=api/);
  await expect(page).toHaveURL(/ip=/);
});

test("36 · live tail: pause holds new calls back, resume loses none", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const key = await makeKey(gateway, user);
  await page.goto("/console/logs?live=true");
  const bar = page.getByRole("region", { name: "Live" });
  await expect(bar.getByText("Live", { exact: true })).toBeVisible();
  await callModel(gateway, key.key, "first");
  await expect(rows(page)).toHaveCount(1);
  await bar.getByRole("button", { name: "Pause" }).click();
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => callModel(gateway, key.key, `${index}`)),
  );
  await expect(bar.getByText("12 new")).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await bar.getByRole("button", { name: "Resume" }).click();
  await expect(rows(page)).toHaveCount(13);
  const all = await logged(gateway, user, 13);
  for (const { request_id } of all) {
    await expect(page.locator(`a[href*="${request_id}"]`)).toHaveCount(1);
  }
  await rows(page).last().hover();
  await callModel(gateway, key.key, "while pointing");
  await expect(bar.getByText("1 new")).toBeVisible();
  await page.getByRole("heading", { level: 1 }).hover();
  await expect(rows(page)).toHaveCount(14);
});

test("36 · live tail: a call is there while it runs, and in the log when it has ended", async ({
  userPage: page,
  gateway,
  root,
  user,
}) => {
  const channel = await makeChannel(gateway, root, { faults: { pace: 40 } });
  const { key, name } = await makeKey(gateway, user);
  await page.goto("/console/logs?live=true");
  const running = page.getByRole("region", { name: "Running now" });
  await expect(running).toContainText("0 calls running now");
  const more = { model: channel.model, stream: true };
  const answer = await callModel(gateway, key, "word ".repeat(200), more);
  await expect(running).toContainText("1 call running now");
  const line = running.getByRole("listitem");
  await expect(line).toContainText("Answering");
  await expect(line).toContainText(`${channel.model} → ${channel.name}`);
  await expect(line).toContainText(name);
  await answer.body?.cancel();
  await expect(running).toContainText("0 calls running now");
  await expect(rows(page)).toHaveCount(1);
});

test("37 · the export has every row of the filter and no formula", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const name = "=1+1";
  const { key } = await manage<{ key: string }>(gateway, user, "POST", "/api/token/", { name });
  await Promise.all(Array.from({ length: 30 }, () => callModel(gateway, key)));
  const calls = await logged(gateway, user, 30);
  await page.goto("/console/logs");
  const save = async (item: string) => {
    await page.getByRole("button", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: item }).click();
    return readFile(await (await download).path(), "utf8");
  };
  const lines = (await save("CSV of this filter")).trim().split("\r\n");
  expect(lines).toHaveLength(31);
  expect(lines.slice(1).every((line) => line.includes("'=1+1"))).toBe(true);
  const records = (await save("JSON lines of this filter")).trim().split("\n");
  const ids = records.map((line) => (JSON.parse(line) as LoggedCall).request_id);
  expect(new Set(ids)).toEqual(new Set(calls.map(({ request_id }) => request_id)));
});

test("38 · a call in detail: tries, price lines that add up, and that no body is kept", async ({
  userPage: page,
  gateway,
  root,
  user,
}) => {
  const failing = await makeChannel(gateway, root, { faults: { status: 503 }, priority: 10 });
  const good = await makeChannel(gateway, root, {
    models: [`${failing.model}=demo-chat`],
    priority: 0,
  });
  const { key } = await makeKey(gateway, user);
  const secretText = unique("a-sentence-that-nobody-stores");
  await callModel(gateway, key, secretText, { model: failing.model });
  await callModel(gateway, key, "Hello");
  const [, first] = await logged(gateway, user, 2);
  await page.goto(`/console/logs?open=${first?.request_id}`);
  const drawer = page.getByRole("dialog", { name: "Call" });
  const tries = drawer.getByRole("region", { name: "Attempts" }).getByRole("listitem");
  await expect(tries).toHaveCount(2);
  await expect(tries.first()).toContainText(failing.name);
  await expect(tries.first()).toContainText("503");
  await expect(tries.last()).toContainText(good.name);
  const cost = drawer.getByRole("region", { name: "Tokens and charge" });
  await expect(cost.getByRole("row").last()).toContainText(`$${first?.charge_usd}`);
  const amounts = await cost.locator("tbody tr td:last-child").allTextContents();
  const nano = (text: string) => BigInt(Math.round(Number(text.replace("$", "")) * 1e9));
  const sum = amounts.reduce((total, text) => total + nano(text), 0n);
  expect(sum).toBe(nano(first?.charge_usd ?? ""));
  await expect(drawer.getByText("This gateway never keeps what was asked")).toBeVisible();
  expect(await page.content()).not.toContain(secretText);

  await page.keyboard.press("k");
  await expect(drawer.getByText(first?.request_id ?? "")).toBeHidden();
  await page.keyboard.press("j");
  await expect(drawer.getByText(first?.request_id ?? "")).toBeVisible();
  await expect(drawer.getByRole("link", { name: "Replay in playground" })).toHaveAttribute(
    "href",
    new RegExp(`/console/playground\\?.*model=${failing.model}`),
  );
  await drawer.getByRole("link", { name: "Open as a page" }).click();
  await expect(page).toHaveURL(new RegExp(`/console/logs/${first?.request_id}$`));
  await expect(page.getByRole("heading", { level: 1, name: "Call" })).toBeVisible();
});

test("45 · the log is filtered and read by keyboard alone", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const { key } = await makeKey(gateway, user);
  await callModel(gateway, key, "one");
  await callModel(gateway, key, "two");
  const [newest, oldest] = await logged(gateway, user, 2);
  await page.goto("/console/logs");
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("textbox", { name: "Request id" }).focus();
  await page.keyboard.type(oldest?.request_id ?? "");
  await page.keyboard.press("Enter");
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: "Clear (1)" }).focus();
  await page.keyboard.press("Enter");
  await expect(rows(page)).toHaveCount(2);
  await rows(page).first().getByRole("link").focus();
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog", { name: "Call" });
  await expect(drawer.getByText(newest?.request_id ?? "")).toBeVisible();
  await page.keyboard.press("j");
  await expect(drawer.getByText(oldest?.request_id ?? "")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await expect(page).not.toHaveURL(/open=/);
});
