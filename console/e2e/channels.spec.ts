// Journeys of the channel pages: wizard, models, tiers, many at once, and the test matrix.

import { makeChannel, manage, setUp, unique } from "./support/accounts";
import { startGateway } from "./support/gateway";
import { expect, signedIn, test, Watch } from "./support/test";
import { startUpstream } from "./support/upstream";

test("28 · a pasted key chooses its provider, and each broken upstream fails at its own step", async ({
  browser,
}) => {
  const gateway = await startGateway({ OUTBOUND__ALLOW_PRIVATE: "127.0.0.0/8" });
  const upstream = await startUpstream();
  const context = await browser.newContext({ baseURL: gateway.address, locale: "en-US" });
  try {
    await signedIn(context, gateway, await setUp(gateway));
    const page = await context.newPage();
    const watch = new Watch(gateway);
    watch.follow(page);

    await page.goto("/console/channels/new");
    await page.getByLabel("Paste a key or an address").fill("sk-ant-abc");
    await expect(page).toHaveURL(/type=anthropic/);
    await expect(page.getByLabel("API key", { exact: true })).toHaveValue("sk-ant-abc");
    await page.goto("/console/channels/new?type=vertex");
    await expect(page.getByLabel("Service account")).toBeVisible();
    await page.goto("/console/channels/new?type=bedrock");
    await expect(page.getByLabel("Region (optional)")).toBeVisible();
    await page.goto("/console/channels/new?type=azure");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await expect(page.getByText("This provider needs the address of your instance")).toBeVisible();

    const tries: [string, string][] = [
      ["http://nowhere.invalid/v1", "Resolve the name"],
      [`https://127.0.0.1:${upstream.port}/v1`, "TLS"],
      [`${upstream.address}/refuses/v1`, "Authenticate"],
      [`${upstream.address}/html/v1`, "One reply"],
    ];
    for (const [address, step] of tries) {
      await page.goto("/console/channels/new?type=openai");
      await page.getByLabel("Name", { exact: true }).fill(unique("broken"));
      await page.getByLabel("Base address").fill(address);
      await page.getByLabel("API key (optional)").fill("sk-wrong");
      await page.getByRole("button", { name: "Test", exact: true }).click();
      await page.getByRole("combobox", { name: "Model to ask" }).fill("some-model");
      await page.getByRole("button", { name: "Test again" }).click();
      await expect(page.getByRole("alert")).toContainText(`The test failed at: ${step}`);
    }
    watch.expectProblem(/status of (400|502|503)/);
    expect(watch.problems()).toEqual([]);
  } finally {
    await context.close();
    await upstream.stop();
    await gateway.stop();
  }
});

test("29 · of 800 fetched models 30 are picked, two renamed, and saved exactly", async ({
  browser,
}) => {
  const gateway = await startGateway({ OUTBOUND__ALLOW_PRIVATE: "127.0.0.0/8" });
  const upstream = await startUpstream();
  const context = await browser.newContext({ baseURL: gateway.address, locale: "en-US" });
  try {
    const root = await setUp(gateway);
    await signedIn(context, gateway, root);
    const page = await context.newPage();
    const watch = new Watch(gateway);
    watch.follow(page);
    await page.goto("/console/channels/new?type=openai");
    await page.getByLabel("Name", { exact: true }).fill("many");
    await page.getByLabel("Base address").fill(`${upstream.address}/v1`);
    await page.getByLabel("API key (optional)").fill("sk-right");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await expect(page.getByText("The test passed")).toBeVisible();
    await page.getByRole("button", { name: "Choose models" }).click();
    await expect(page.getByText("0 of 800 chosen")).toBeVisible();

    // model-070 … model-079, model-170 …, model-270 …: thirty of them.
    for (const tens of ["model-07", "model-17", "model-27"]) {
      await page.getByLabel("Find a model").fill(tens);
      await page.getByLabel("All 10 shown").check();
    }
    await expect(page.getByText("30 of 800 chosen")).toBeVisible();
    await page.getByLabel("Clients ask for model-270 as").fill("fast");
    await page.getByLabel("Clients ask for model-271 as").fill("slow");
    await page.getByRole("button", { name: "Save with 30 models" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "many" })).toBeVisible();

    const id = Number(new URL(page.url()).pathname.split("/").at(-1));
    const saved = await manage<{ models: string[] }>(gateway, root, "GET", `/api/channel/${id}`);
    const names = [0, 1, 2].flatMap((hundred) =>
      Array.from({ length: 10 }, (_, one) => `model-${hundred}7${one}`),
    );
    const expected = names.map((name) => {
      const renamed: Record<string, string> = { "model-270": "fast", "model-271": "slow" };
      return renamed[name] === undefined ? name : `${renamed[name]}=${name}`;
    });
    expect([...saved.models].sort()).toEqual([...expected].sort());
    expect(watch.problems()).toEqual([]);
  } finally {
    await context.close();
    await upstream.stop();
    await gateway.stop();
  }
});

test("30 · a channel moves to another tier by pointer and by keyboard", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const prefix = unique("tier");
  const first = await makeChannel(gateway, root, { name: `${prefix}-a`, priority: 20 });
  const second = await makeChannel(gateway, root, { name: `${prefix}-b`, priority: 10 });
  await makeChannel(gateway, root, { name: `${prefix}-c`, priority: 10 });
  const priority = async (id: number) =>
    (await manage<{ priority: number }>(gateway, root, "GET", `/api/channel/${id}`)).priority;

  await page.goto(`/console/channels?search=${prefix}`);
  const tier = (number: number) => page.getByRole("list", { name: `Tier ${number}` });
  await expect(tier(1).getByRole("listitem")).toHaveCount(1);
  await expect(tier(2).getByRole("listitem")).toHaveCount(2);
  const handle = page.getByRole("button", { name: `Move ${second.name}` });
  const from = await handle.boundingBox();
  const to = await tier(1).boundingBox();
  if (from === null || to === null) {
    throw new Error("the board is not drawn");
  }
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 30, to.y + 30, { steps: 5 });
  await page.mouse.up();
  await expect(page.getByTestId("board-announcement")).toContainText(
    `${second.name} is now in tier 1, priority 20`,
  );
  await expect(tier(1).getByRole("link")).toHaveText([first.name, second.name]);
  await expect.poll(() => priority(second.id)).toBe(20);

  await handle.focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("board-announcement")).toContainText(
    "is now in tier 2, priority 10",
  );
  await expect(handle).toBeFocused();
  await expect.poll(() => priority(second.id)).toBe(10);
  await expect(tier(1).getByRole("link")).toHaveText([first.name]);
  await expect(tier(2).getByText("50% of tier 2")).toHaveCount(2);
});

test("31 · 120 channels change as the preview says, and a stop stops", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  test.slow();
  const prefix = unique("bulk");
  for (let at = 0; at < 120; at += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        makeChannel(gateway, root, { name: `${prefix}-${at + index}`, state: "off" }),
      ),
    );
  }
  const tagged = async (tag: string) =>
    (await manage<{ total: number }>(gateway, root, "GET", `/api/channel/?tag=${tag}&page_size=1`))
      .total;
  await page.goto(`/console/channels?view=table&search=${prefix}`);
  const open = async (tag: string) => {
    await page.getByRole("checkbox", { name: "Select this page" }).check();
    await page.getByRole("button", { name: "Select all 120 matching" }).click();
    await page.getByRole("button", { name: "Change…" }).click();
    await page.getByRole("combobox", { name: "What to do" }).click();
    await page.getByRole("option", { name: "Add a tag" }).click();
    await page.getByLabel("Tag", { exact: true }).last().fill(tag);
    await expect(
      page.getByRole("region", { name: "What would change" }).getByRole("row"),
    ).toHaveCount(121);
  };
  const whole = unique("whole");
  await open(whole);
  await page.getByRole("button", { name: "Change 120" }).click();
  await expect(page.getByText("120 of 120 changed")).toBeVisible();
  expect(await tagged(whole)).toBe(120);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();

  const half = unique("half");
  await page.route("/api/channel/batch", async (route) => {
    // Pressed before the work begins: a busy machine would have done all of it by the time that a stop is pressed.
    await page.getByRole("button", { name: "Stop" }).click();
    await route.continue();
  });
  await open(half);
  await page.getByRole("button", { name: "Change 120" }).click();
  const stopped = page.getByText(/^Stopped: \d+ of 120 changed/);
  await expect(stopped).toBeVisible();
  const changed = Number(/\d+/.exec((await stopped.textContent()) ?? "")?.[0]);
  expect(changed).toBeLessThan(120);
  expect(await tagged(half)).toBe(changed);
});

test("32 · the test matrix tells reasons and goes on after a reload", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  test.slow();
  const prefix = unique("grid");
  const models = Array.from({ length: 10 }, (_, index) => `${prefix}-m${index}=demo-chat`);
  const ids: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    const faults = index === 0 ? { status: 503 } : { delay_first_byte: 20 };
    ids.push((await makeChannel(gateway, root, { name: `${prefix}-${index}`, models, faults })).id);
  }
  await page.goto(`/console/channels/matrix?channels=${ids.join(",")}`);
  await page.getByRole("button", { name: "Run 200 tests" }).click();
  const progress = page.getByTestId("matrix-progress");
  const done = async () => Number(/^(\d+) of 200/.exec((await progress.textContent()) ?? "")?.[1]);
  await expect.poll(done).toBeGreaterThan(20);
  const before = await done();
  await page.reload();
  await expect.poll(done).toBeGreaterThanOrEqual(before);
  await expect(progress).toHaveText("200 of 200 tested", { timeout: 90_000 });
  await expect(page.getByRole("button", { name: /^failed: overloaded/ })).toHaveCount(10);
});
