// Usage: sums that equal the ledger, as charts, tables and files, and the way to the calls.

import { readFile } from "node:fs/promises";
import { callModel, makeKey, manage } from "./support/accounts";
import { expect, test } from "./support/test";

const NANO = 1_000_000_000;
const nanos = (usd: string) => BigInt(Math.round(Number(usd.replace("$", "")) * NANO));

test("39 · usage: grouped sums equal the ledger, drill down, table, CSV, unknown is a dash", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const { id, key } = await makeKey(gateway, user);
  for (const model of ["demo-chat", "demo-chat", "demo-reasoning"]) {
    await (await callModel(gateway, key, "How much is this?", { model })).text();
  }
  const read = () =>
    manage<{ items: { charge_usd: string }[] }>(gateway, user, "GET", "/api/log/self");
  await expect.poll(async () => (await read()).items.length).toBe(3);
  const ledger = (await read()).items.reduce((sum, call) => sum + nanos(call.charge_usd), 0n);

  await page.goto(`/console/usage?range=1h&token_id=${id}&tables=spend,latency`);
  await expect(async () => {
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect(page.getByRole("region", { name: "Spend" }).locator("tfoot")).toContainText(
      "$0.0",
      {
        timeout: 1_000,
      },
    );
    const sums = await page.locator('[data-chart="spend"] tfoot th').allTextContents();
    const total = sums.slice(1).reduce((sum, text) => sum + nanos(text), 0n);
    expect(total).toBe(ledger);
  }).toPass();
  await expect(page.locator('[data-chart="spend"] thead')).toContainText("demo-reasoning");
  await expect(page.locator('[data-chart="latency"]').getByText("—").first()).toBeVisible();

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV: Spend" }).click();
  const csv = await readFile(await (await download).path(), "utf8");
  const cells = csv
    .trim()
    .split("\r\n")
    .slice(1)
    .flatMap((line) => line.split(",").slice(2));
  expect(cells.reduce((sum, cell) => sum + nanos(cell), 0n)).toBe(ledger);

  await page
    .getByRole("region", { name: "Spend" })
    .getByRole("button", { name: "As chart" })
    .click();
  await expect(page).not.toHaveURL(/spend/);
  const bar = page.getByRole("region", { name: "Spend" }).locator(".recharts-bar-rectangle path");
  await bar.first().click();
  await expect(page).toHaveURL(/\/console\/logs\?.*model=demo-/);
  await expect(page).toHaveURL(/from=/);
  await expect(page.getByRole("row").filter({ hasText: "demo-" }).first()).toBeVisible();
  await page.goBack();
  await page.getByRole("combobox", { name: "Group by" }).click();
  await page.getByRole("option", { name: "Endpoint" }).click();
  const endpoint = page.getByRole("link", { name: "/v1/chat/completions" });
  // The table by group comes when it is near; the page may still grow while one goes there.
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(endpoint).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await endpoint.click();
  await expect(page).toHaveURL(/\/console\/logs\?.*endpoint=/);
  await expect(page.getByRole("row").filter({ hasText: "demo-" })).toHaveCount(3);
});
