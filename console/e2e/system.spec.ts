// Journeys of the console's frame and its system page.

import { readFile } from "node:fs/promises";
import { makeUser } from "./support/accounts";
import { expect, signedIn, test } from "./support/test";

test("the system page shows live facts of the running gateway", async ({ rootPage: page }) => {
  await page.goto("/console/system");
  await expect(page).toHaveTitle("System · Modelgate");
  await expect(page.getByRole("link", { name: "System" })).toHaveAttribute("aria-current", "page");
  await expect(page.getByText("Ready", { exact: true })).toBeVisible();

  const metrics = await (await page.request.get("/metrics")).text();
  const version = /^modelgate_info\{version="([^"]+)"\} 1$/m.exec(metrics)?.[1] ?? "not exported";
  const fact = (name: string) =>
    page
      .locator("dl > div")
      .filter({ has: page.locator("dt", { hasText: name }) })
      .locator("dd");
  await expect(fact("Version")).toHaveText(version);
  await expect(fact("Database")).toHaveText("Answering");
  await expect(fact("Memory")).toHaveText(/^[\d.]+ MB$/);
  await expect(fact("Round trip")).toHaveText(/^\d+ ms$/);
  await expect(fact("Running for")).toHaveText(/^\d+ (sec|min)/);
  const nodes = page.getByRole("list", { name: "Nodes" }).getByRole("listitem");
  await expect(nodes).toHaveCount(1);
  await expect(nodes).toContainText(`release ${version}`);
  // The page reads the facts anew by itself: its own requests are among those counted.
  const before = (await fact("Requests answered").textContent()) ?? "";
  expect(before).toMatch(/^[\d,]+$/);
  await expect(fact("Requests answered")).not.toHaveText(before);
});

test("root downloads a copy of the records once it is confirmed", async ({ rootPage: page }) => {
  await page.goto("/console/system");
  await page.getByRole("button", { name: "Download a copy" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("everybody's accounts");
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Make the copy" }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toMatch(/^modelgate-\d{8}-\d{6}\.sqlite$/);
  const bytes = await readFile(await saved.path());
  expect(bytes.subarray(0, 15).toString()).toBe("SQLite format 3");
  await expect(dialog).toHaveCount(0);
});

test("administrators are not offered a copy of the records", async ({
  page,
  context,
  gateway,
  root,
}) => {
  await signedIn(context, gateway, await makeUser(gateway, root, { role: 10 }));
  await page.goto("/console/system");
  await expect(page.getByRole("list", { name: "Nodes" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Backup" })).toHaveCount(0);
});

test("the metric filter lives in the address", async ({ rootPage: page, gateway }) => {
  await page.goto("/console/system");
  const rows = page.getByRole("table").locator("tbody tr");
  await expect(rows.first()).toBeVisible();
  const total = await rows.count();

  await page.getByRole("searchbox", { name: "Filter metrics" }).fill("no such metric");
  await expect(page.getByText(`0 of ${total} match`)).toBeVisible();
  await expect(page).toHaveURL(`${gateway.address}/console/system?metric=no+such+metric`);
  await page.reload();
  await expect(page.getByText(`0 of ${total} match`)).toBeVisible();

  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows).toHaveCount(total);
  await expect(page).toHaveURL(`${gateway.address}/console/system`);
});

test("an unreachable gateway is told with cause and remedy, and retried", async ({
  rootPage: page,
  watch,
}) => {
  watch.expectProblem(/ERR_CONNECTION_REFUSED/);
  await page.route("/readyz", (route) => route.abort("connectionrefused"));
  await page.goto("/console/system");
  const alert = page.getByRole("alert").filter({ hasText: "/readyz" });
  await expect(alert).toContainText("/readyz could not be reached");
  await expect(alert).toContainText("the gateway is down");
  await expect(alert).toContainText("Check the network");

  await page.unroute("/readyz");
  await alert.getByRole("button", { name: "Retry" }).click();
  await expect(alert).toHaveCount(0);
  await expect(page.getByText("Ready", { exact: true })).toBeVisible();
});

test("known facts stay in view with their age when the gateway goes away", async ({
  rootPage: page,
  watch,
}) => {
  await page.goto("/console/system");
  await expect(page.getByText("Version", { exact: true })).toBeVisible();
  watch.expectProblem(/ERR_CONNECTION_REFUSED/);
  await page.route(/\/(readyz|healthz|metrics)$/, (route) => route.abort("connectionrefused"));
  await expect(page.getByRole("alert").first()).toBeVisible({ timeout: 10_000 });
  await expect(page.getByText("Version", { exact: true })).toBeVisible();
  await expect(page.getByText(/^\d+ sec ago$/).first()).toBeVisible();
});

test("a gateway that is not ready says why", async ({ rootPage: page, watch }) => {
  watch.expectProblem(/503/);
  await page.route("/readyz", (route) =>
    route.fulfill({ status: 503, json: { status: "database unreachable" } }),
  );
  await page.goto("/console/system");
  await expect(page.getByText("Not ready", { exact: true })).toBeVisible();
  await expect(page.getByText("Unreachable", { exact: true })).toBeVisible();
  await expect(page.getByText("Version", { exact: true })).toBeVisible();
});

test("metrics that are refused leave dashes with a reason", async ({ rootPage: page, watch }) => {
  watch.expectProblem(/403/);
  await page.route("/metrics", (route) =>
    route.fulfill({
      status: 403,
      headers: { "x-request-id": "0123456789abcdef" },
      json: { success: false, message: "This address may not read that.", data: null },
    }),
  );
  await page.goto("/console/system");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("The gateway refused /metrics with status 403");
  await expect(alert).toContainText("The gateway says: This address may not read that.");
  await expect(alert).toContainText("0123456789abcdef");
  const version = page
    .locator("dl > div")
    .filter({ has: page.locator("dt", { hasText: "Version" }) });
  await expect(version.locator("dd")).toHaveText(["—", "Not in the metrics"]);
});

test("an unknown page of the console says so and leads home", async ({
  rootPage: page,
  gateway,
}) => {
  await page.goto("/console/nowhere");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  await expect(page.getByText("/console/nowhere")).toBeVisible();
  await page.getByRole("link", { name: "Go to the home page" }).click();
  await expect(page).toHaveURL(`${gateway.address}/`);
});

test("the navigation folds away on a phone and works by keyboard", async ({ rootPage: page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/console/system");
  const entry = page.getByRole("link", { name: "Overview" });
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(entry).not.toBeInViewport();

  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Navigation" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(entry).toBeInViewport();
  await entry.press("Enter");
  await expect(entry).not.toBeInViewport();
});
