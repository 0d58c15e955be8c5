// The two pictures of the README: `npx playwright test --config playwright.screenshots.config.ts readme` writes them into docs/images.

import { callModel, makeChannel, makeKey, makeUser, manage } from "../e2e/support/accounts";
import { openPlayground, send, settledReply } from "../e2e/support/playground";
import { expect, signedIn, test } from "../e2e/support/test";

const IMAGES = "../docs/images";
const QUESTION =
  "Explain in **one sentence** what a gateway for models does:\n\n1. it finds a channel\n2. it counts tokens\n3. it charges `exactly`";
const SENTENCE = "The customer writes that the export stops after the first page. ";
const PRICES = {
  "gpt-5": { input: "1.25", output: "10" },
  "claude-sonnet-4-5": { input: "3", output: "15" },
  "llama-3.3-70b": { input: "0.6", output: "0.6" },
} as const;

test("pictures of the README", async ({ browser, gateway, root }) => {
  for (const [model, prices] of Object.entries(PRICES)) {
    await manage(gateway, root, "POST", "/api/price/", { model, prices });
  }
  const channel = (name: string, model: string, more: object) =>
    makeChannel(gateway, root, { name, models: [`${model}=demo-chat`], ...more });
  await channel("azure-eu", "gpt-5", {});
  await channel("anthropic", "claude-sonnet-4-5", { faults: { delay_first_byte: 90 } });
  await channel("local-gpu", "llama-3.3-70b", { faults: { delay_first_byte: 210 } });
  const options = {
    baseURL: gateway.address,
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
  } as const;

  const keys: string[] = [];
  for (const [username, name] of [
    ["ana", "Support desk"],
    ["bela", "Nightly report"],
    ["chen", "Notebook"],
  ] as const) {
    const user = await makeUser(gateway, root, { username });
    keys.push((await makeKey(gateway, user, { name })).key);
  }
  const models = Object.keys(PRICES);
  const call = async (number: number, model = models[(number * 2) % models.length] ?? "") => {
    const text = `Summarise ticket ${4_100 + number}. ${SENTENCE.repeat(3 + ((number * 7) % 19))}`;
    const key = keys[(number * 5) % keys.length] ?? "";
    await (await callModel(gateway, key, text, { model, stream: number % 2 === 0 })).text();
  };
  for (let number = 0; number < 10; number += 1) {
    await call(number);
  }
  // Tried first from now on, and failing once: then the gateway pauses them.
  await channel("claude-trial", "claude-sonnet-4-5", { priority: 10, faults: { status: 529 } });
  await call(11, "claude-sonnet-4-5");
  await call(12, "gpt-4-turbo");
  await call(13);
  await channel("openai-main", "gpt-5", { priority: 10, faults: { status: 429 } });
  // The machine's own disk is no part of the picture.
  const open = "/api/incident/?state=open";
  for (const { id } of (await manage<{ items: { id: number }[] }>(gateway, root, "GET", open))
    .items) {
    await manage(gateway, root, "POST", `/api/incident/${id}/resolve`, {});
  }
  const light = await browser.newContext({ ...options, colorScheme: "light" });
  await signedIn(light, gateway, root);
  const playground = await light.newPage();
  await openPlayground(playground, { model: "gpt-5" });
  await send(playground, QUESTION);
  await settledReply(playground);
  await playground.screenshot({ path: `${IMAGES}/playground.png` });
  await light.close();

  const dark = await browser.newContext({ ...options, colorScheme: "dark" });
  await signedIn(dark, gateway, root);
  const logs = await dark.newPage();
  await logs.goto("/console/logs");
  await expect(logs.getByRole("row").nth(8)).toBeVisible();
  await logs.screenshot({ path: `${IMAGES}/logs.png` });
  await dark.close();
});
