// Journeys of routing, prices, settings, audit and announcements.

import { callModel, makeChannel, makeKey, manage, unique } from "./support/accounts";
import { expect, test } from "./support/test";

test("34 · what Explain lists is what the next twenty calls do", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const model = unique("routed");
  const models = [`${model}=demo-chat`];
  const first = await makeChannel(gateway, root, { models, priority: 10 });
  const second = await makeChannel(gateway, root, { models, priority: 10 });
  const spare = await makeChannel(gateway, root, { models, priority: 0 });
  const off = await makeChannel(gateway, root, { models, priority: 20, state: "off" });
  await page.goto(`/console/routing?model=${model}`);
  const tiers = page.getByRole("list", { name: "Tried in this order" });
  await expect(tiers.getByRole("listitem")).toHaveCount(2);
  const top = tiers.getByRole("listitem").first();
  await expect(top.getByRole("link", { name: first.name })).toBeVisible();
  await expect(top.getByRole("link", { name: second.name })).toBeVisible();
  await expect(tiers.getByRole("link", { name: spare.name })).toBeVisible();
  await expect(page.getByRole("list", { name: "Not tried" })).toContainText(`${off.name}Off`);
  await page.getByRole("combobox", { name: "User" }).fill("roo");
  await page.getByRole("option", { name: "root", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`user_id=${root.id}`));
  await expect(top.getByRole("link", { name: first.name })).toBeVisible();

  const { key } = await makeKey(gateway, root);
  for (let call = 0; call < 20; call += 1) {
    expect((await callModel(gateway, key, `call ${call}`, { model })).status).toBe(200);
  }
  const served = async () => {
    const path = `/api/log/?model=${model}&limit=100`;
    const { items } = await manage<{ items: { channel: string }[] }>(gateway, root, "GET", path);
    return items.map(({ channel }) => channel);
  };
  await expect.poll(async () => (await served()).length).toBe(20);
  expect(new Set(await served())).toEqual(new Set([first.name, second.name]));
});

test("a model with one channel is offered others, added at a click and taken back", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const name = unique("alone");
  const alone = await makeChannel(gateway, root, { name, models: [`${name}=${name}-v1`] });
  const spare = await makeChannel(gateway, root, {
    name: `${name}-spare`,
    models: [`${name}-other=${name}-v1`],
  });
  await page.goto(`/console/routing?model=${name}`);
  const tried = page.getByRole("list", { name: "Tried in this order" });
  await expect(tried.getByRole("link")).toHaveText([alone.name]);
  const offers = page.getByRole("list", { name: "Could serve it too" });
  // What has the same model under another name comes before what is only of the same provider.
  await expect(offers.getByRole("listitem").first()).toContainText(spare.name);
  await page.getByRole("button", { name: `Add ${name} to ${spare.name}` }).click();
  await expect(tried.getByRole("link", { name: spare.name })).toBeVisible();
  await expect(offers).toHaveCount(0);
  const served = async () =>
    (await manage<{ models: string[] }>(gateway, root, "GET", `/api/channel/${spare.id}`)).models;
  expect(await served()).toEqual([`${name}-other=${name}-v1`, `${name}=${name}-v1`]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(tried.getByRole("link")).toHaveText([alone.name]);
  expect(await served()).toEqual([`${name}-other=${name}-v1`]);
});

test("43 · settings are found, kept while unsaved, and locked by the environment", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  await page.goto("/console/settings");
  await expect(page).toHaveURL(/\/settings\/general/);
  const search = page.getByRole("searchbox", { name: "Search all settings" });
  await search.fill("sandbox secret");
  await expect(page.getByText("MODELGATE_PAYMENTS__SANDBOX__WEBHOOK_SECRET sets it")).toBeVisible();
  await expect(page.getByLabel("payments.sandbox.webhook_secret")).toBeDisabled();

  await search.fill("json_depth");
  const depth = page.getByLabel("limits.json_depth");
  await depth.fill("100");
  await expect(page.getByText("1 unsaved change")).toBeVisible();
  await search.fill("");
  await page.getByRole("link", { name: "Privacy and retention" }).click();
  await expect(page.getByText("1 unsaved change")).toBeVisible();
  await page.getByRole("link", { name: "System" }).click();
  await expect(page.getByRole("dialog", { name: "Leave without saving?" })).toBeVisible();
  await page.getByRole("button", { name: "Stay here" }).click();
  await expect(page.getByText("1 unsaved change")).toBeVisible();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("1 setting is saved")).toBeVisible();
  const value = async () => {
    const all = await manage<{ key: string; value: unknown }[]>(
      gateway,
      root,
      "GET",
      "/api/option/",
    );
    return all.find(({ key }) => key === "limits.json_depth")?.value;
  };
  await expect.poll(value).toBe(100);
  await page.getByRole("link", { name: "Limits", exact: true }).click();
  await page.getByRole("button", { name: "Back to default" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(value).toBe(128);
});

test("a price set for a model counts for every group, and its history says so", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const model = unique("priced");
  await makeChannel(gateway, root, { models: [model] });
  await page.goto(`/console/models?search=${model}`);
  await expect(page.getByRole("alert")).toContainText("no price");
  await page.getByRole("table").getByRole("button", { name: model }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByLabel("Input", { exact: true }).fill("0.3");
  await drawer.getByLabel("Output", { exact: true }).fill("1.2");
  await drawer.getByRole("button", { name: "Set price" }).click();
  await expect(drawer.getByRole("region", { name: "What each group pays" })).toContainText("$0.30");
  await expect(drawer.getByText("Administrator", { exact: false }).first()).toBeVisible();
});

test("44 · hostile names break no administrators' page", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  // As long as a name may be: 64 characters.
  const name = `${unique("<script>alert(1)</script>")} مرحبا 🎛 ${"x".repeat(64)}`.slice(0, 64);
  await makeChannel(gateway, root, { name, models: ["demo-chat"] });
  const title = `${unique("<img src=x onerror=alert(1)>")} ${"ن".repeat(60)}`;
  await manage(gateway, root, "POST", "/api/notice/", {
    title,
    body: "<script>alert(1)</script> **bold**",
    audience: "administrators",
  });
  for (const path of [
    `/console/channels?search=${encodeURIComponent(name.slice(0, 20))}`,
    `/console/channels?view=table&search=${encodeURIComponent(name.slice(0, 20))}`,
    "/console/announcements",
    "/console/audit",
  ]) {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(path);
    await expect(page.getByText(/<script>|<img|channel\.create/).first()).toBeVisible();
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wide).toBe(0);
  }
});

test("50 · each administrators' page tells a failure and recovers", async ({
  rootPage: page,
  watch,
}) => {
  watch.expectProblem(/500/);
  const pages: [string, RegExp][] = [
    ["/console/channels", /\/api\/channel\//],
    ["/console/routing", /\/api\/route\/coverage/],
    ["/console/models", /\/api\/price\//],
    ["/console/announcements", /\/api\/notice\/all/],
    ["/console/audit", /\/api\/audit\//],
    ["/console/tasks", /\/api\/task\//],
    ["/console/settings/general", /\/api\/option\//],
  ];
  for (const [path, call] of pages) {
    await page.route(call, (route) =>
      route.fulfill({ status: 500, json: { success: false, message: "broken", data: null } }),
    );
    await page.goto(path);
    const alert = page.getByRole("alert").filter({ hasText: "Retry" }).first();
    await expect(alert).toBeVisible();
    await page.unroute(call);
    await alert.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "Retry" })).toHaveCount(0);
  }
});

test("the audit log shows each field before and after", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const { id } = await makeChannel(gateway, root);
  await manage(gateway, root, "PUT", "/api/channel/", { id, weight: 7 });
  await page.goto(`/console/audit?action=channel.update&object_id=${id}`);
  await page.getByRole("button", { name: "channel.update" }).click();
  const row = page.getByRole("dialog").getByRole("row", { name: /^weight/ });
  await expect(row.getByRole("cell")).toHaveText(["1", "7"]);
});

test("a price list is compared line by line, chosen lines are taken over and undone", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const [model, other] = [unique("listed"), unique("kept")];
  await makeChannel(gateway, root, { models: [`${model}=demo-chat`, `${other}=demo-chat`] });
  for (const name of [model, other]) {
    const prices = { input: "2", output: "8" };
    await manage(gateway, root, "POST", "/api/price/", { model: name, prices });
  }
  const list = {
    [model]: { input_cost_per_token: 2.5e-6, output_cost_per_token: 8e-6 },
    [other]: { input_cost_per_token: 4e-6, cache_read_input_token_cost: 1e-6 },
  };
  const price = async (name: string) => {
    const path = `/api/price/?search=${name}`;
    type Prices = { items: { prices: Record<string, string> }[] };
    return (await manage<Prices>(gateway, root, "GET", path)).items[0]?.prices;
  };
  await page.goto("/console/models");
  await page.getByRole("button", { name: "Compare prices" }).click();
  const dialog = page.getByRole("dialog", { name: "Compare prices" });
  await dialog.getByText("A price list", { exact: true }).click();
  const buffer = Buffer.from(JSON.stringify(list));
  const file = { name: "prices.json", mimeType: "application/json", buffer };
  await page.locator('input[type="file"]').setInputFiles(file);
  await expect(dialog.getByRole("status")).toHaveText(
    "2 changed, 1 new, 1 no longer offered, 1 the same",
  );
  const line = dialog.getByRole("row").filter({ hasText: model });
  await expect(line).toContainText("Input$2.00$2.50+25%Changed");
  expect(await price(model)).toEqual({ input: "2", output: "8" });

  await line.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Take over 1" }).click();
  await expect(page.getByText("1 price is taken over")).toBeVisible();
  await expect(line).toHaveCount(0);
  expect(await price(model)).toEqual({ input: "2.5", output: "8" });
  expect(await price(other)).toEqual({ input: "2", output: "8" });

  await page.getByRole("button", { name: "Undo" }).click();
  await expect(line).toBeVisible();
  expect(await price(model)).toEqual({ input: "2", output: "8" });
});
