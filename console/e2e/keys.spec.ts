// API keys: made, limited, rotated, and shown only once.

import { callModel, makeKey, manage, unique } from "./support/accounts";
import { expect, test } from "./support/test";

test("24 · an API key with limits is shown once and never again", async ({ userPage: page }) => {
  const name = unique("app");
  const answers: string[] = [];
  await page.goto("/console/keys");
  await expect(page.getByText("No key yet")).toBeVisible();
  await page.getByRole("button", { name: "New key" }).first().click();
  const drawer = page.getByRole("dialog", { name: "New key" });
  await drawer.getByText("With limits").click();
  await drawer.getByLabel("Name", { exact: true }).fill(name);
  await drawer.getByLabel("A day").fill("2.50");
  await drawer.getByLabel("Requests a minute").fill("60");
  await drawer.getByLabel("Networks").fill("127.0.0.0/8\noffice");
  await drawer.getByRole("button", { name: "Create key" }).click();
  await expect(drawer.getByText("Line 2 is no IP address", { exact: false })).toBeVisible();
  await drawer.getByLabel("Networks").fill("127.0.0.0/8");
  await drawer.getByRole("button", { name: "Create key" }).click();
  await expect(drawer.getByText("Shown only this once")).toBeVisible();
  const secret = (await drawer.locator("code").first().textContent()) ?? "";
  expect(secret.length).toBeGreaterThan(20);

  await drawer.getByRole("button", { name: "I saved it" }).click();
  await drawer.getByRole("tab", { name: "Claude Code" }).click();
  await expect(drawer.getByRole("region", { name: "macOS, Linux" })).toContainText(secret);
  await drawer.getByRole("button", { name: "Done" }).click();
  await expect(drawer).toBeHidden();

  page.on("response", async (response) => {
    if (response.url().includes("/api/")) {
      answers.push(await response.text().catch(() => ""));
    }
  });
  await page.reload();
  await page.getByRole("link", { name, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "A day" })).toHaveValue("2.5");
  expect(await page.content()).not.toContain(secret);
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.join("")).not.toContain(secret);
});

test("25 · every limit of a key refuses by its name, and the bar matches the ledger", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const refusal = async (settings: Record<string, unknown>, model = "demo-chat") => {
    const { key, name } = await makeKey(gateway, user, settings);
    const answer = await callModel(gateway, key, "Hello", { model });
    return { name, status: answer.status, text: await answer.text() };
  };
  const model = await refusal({ models: ["demo-reasoning"] });
  expect(model.status).toBe(403);
  expect(model.text).toContain("demo-chat");
  const network = await refusal({ cidrs: ["192.0.2.0/24"] });
  expect(network.status).toBe(403);
  expect(network.text).toMatch(/address|network|127\.0\.0\.1/i);
  const expired = await refusal({ expires_at: "2020-01-01T00:00:00Z" });
  expect(expired.status).toBe(401);
  // One text for unknown, paused and expired keys: it tells a stranger nothing. The owner's page does.
  expect(expired.text).toContain("No valid API key was given.");
  const spent = await refusal({ budget_daily_usd: "0" });
  expect(spent.status).toBe(402);
  expect(spent.text).toContain("insufficient_quota");

  const paced = await makeKey(gateway, user, { rpm: 1, budget_total_usd: "1" });
  expect((await callModel(gateway, paced.key)).status).toBe(200);
  const second = await callModel(gateway, paced.key);
  expect(second.status).toBe(429);
  expect(await second.text()).toMatch(/minute|rate/i);

  await expect
    .poll(async () => {
      const usage = await manage<{ used_quota_usd: string }>(
        gateway,
        user,
        "GET",
        `/api/token/${paced.id}/usage`,
      );
      return usage.used_quota_usd;
    })
    .not.toBe("0");
  const { budgets } = await manage<{ budgets: { taken_usd: string }[] }>(
    gateway,
    user,
    "GET",
    `/api/token/${paced.id}/usage`,
  );
  await page.goto(`/console/keys/${paced.id}`);
  await expect(
    page.getByTitle(`Exactly ${budgets[0]?.taken_usd} USD`, { exact: true }).first(),
  ).toBeVisible();
  await page.goto(`/console/keys?search=${paced.name}`);
  const row = page.getByRole("row").filter({ hasText: paced.name });
  await expect(row.getByRole("progressbar", { name: "In all" })).toBeAttached();
  await page.goto(`/console/keys?search=${expired.name}`);
  await expect(page.getByRole("row").filter({ hasText: expired.name })).toContainText("Expired");
});

test("26 · rotation keeps both secrets for an hour, or only the new one", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const made = await makeKey(gateway, user);
  const status = async (key: string) => (await callModel(gateway, key)).status;
  const rotate = async (overlap: string) => {
    await page.getByRole("button", { name: "Rotate" }).click();
    const dialog = page.getByRole("dialog", { name: `Rotate ${made.name}` });
    await dialog.getByLabel(overlap).check();
    await dialog.getByRole("button", { name: "Rotate" }).click();
    const secret = (await dialog.locator("code").first().textContent()) ?? "";
    await dialog.getByRole("button", { name: "I saved it" }).click();
    return secret;
  };
  await page.goto(`/console/keys/${made.id}`);
  const second = await rotate("For 1 hour");
  expect(second).not.toBe(made.key);
  expect([await status(made.key), await status(second)]).toEqual([200, 200]);
  const third = await rotate("Not at all");
  await expect.poll(() => status(second)).toBe(401);
  expect(await status(third)).toBe(200);
});

test("a key is paused in its row and taken back by undo; many are extended and deleted", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const [one, two] = [await makeKey(gateway, user), await makeKey(gateway, user)];
  await page.goto("/console/keys");
  const row = page.getByRole("row").filter({ hasText: one.name });
  await page.getByRole("button", { name: `Actions for ${one.name}` }).click();
  await page.getByRole("menuitem", { name: "Pause" }).click();
  await expect(row.getByText("Paused")).toBeVisible();
  expect((await callModel(gateway, one.key)).status).toBe(401);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row.getByText("Working")).toBeVisible();

  await page.getByLabel("Select this page").check();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByRole("button", { name: "Extend" }).click();
  await page.getByRole("menuitem", { name: "In 30 days" }).click();
  await expect(page.getByText("2 keys have a new end")).toBeVisible();
  await bar.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 2 keys" });
  await dialog.getByRole("textbox").fill("2");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No key yet")).toBeVisible();
  expect((await callModel(gateway, two.key)).status).toBe(401);
});

test("the page of a key tells from where it was last used", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const { id, key } = await makeKey(gateway, user);
  await page.goto(`/console/keys/${id}`);
  await expect(page.getByText("Never used")).toBeVisible();
  await (await callModel(gateway, key)).text();
  const lastUse = async () =>
    (await manage<{ last_used_at: string | null }>(gateway, user, "GET", `/api/token/${id}`))
      .last_used_at;
  await expect.poll(lastUse).not.toBeNull();
  await page.reload();
  await expect(page.getByText("127.0.0.1", { exact: true })).toBeVisible();
});

test("44 · hostile names of keys neither run nor break the layout", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const names = [
    "<script>document.title='run'</script>",
    "W".repeat(64),
    "مفتاح الإنتاج العربي الطويل",
    "🔑🧪🚀".repeat(12),
    "=HYPERLINK(1)",
  ];
  for (const name of names) {
    await manage(gateway, user, "POST", "/api/token/", { name });
  }
  await page.goto("/console/keys");
  for (const name of names) {
    await expect(page.getByRole("link", { name, exact: true })).toBeVisible();
  }
  expect(await page.title()).toBe("API keys · Modelgate");
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  }
});

test("45 · a key is made by keyboard alone", async ({ userPage: page }) => {
  const name = unique("typed");
  await page.goto("/console/keys");
  const start = page.getByRole("button", { name: "New key" }).first();
  await start.focus();
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog", { name: "New key" });
  await expect(drawer.getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(drawer.getByText("Shown only this once")).toBeVisible();
  const saved = drawer.getByRole("button", { name: "I saved it" });
  for (
    let step = 0;
    step < 12 && !(await saved.evaluate((node) => node === document.activeElement));
    step += 1
  ) {
    await page.keyboard.press("Tab");
  }
  await expect(saved).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(drawer.getByRole("tab").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await expect(page.getByRole("link", { name, exact: true })).toBeVisible();
});
