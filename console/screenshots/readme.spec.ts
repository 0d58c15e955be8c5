// The two pictures of the README: `npx playwright test --config playwright.screenshots.config.ts readme` writes them into docs/images.

import { callModel, makeChannel, makeKey } from "../e2e/support/accounts";
import { openPlayground, send, settledReply } from "../e2e/support/playground";
import { expect, signedIn, test } from "../e2e/support/test";

const IMAGES = "../docs/images";
const QUESTIONS = ["Summarise ticket 4107", "Draft a reply", "Which plan fits?", "Translate it"];

test("pictures of the README", async ({ browser, gateway, root }) => {
  const models = ["assistant=demo-chat"];
  const faults = { status: 429 };
  await makeChannel(gateway, root, { name: "openai-main", models, priority: 10, faults });
  await makeChannel(gateway, root, { name: "azure-eu", models, priority: 5 });
  const options = {
    baseURL: gateway.address,
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
  } as const;

  const light = await browser.newContext({ ...options, colorScheme: "light" });
  await signedIn(light, gateway, root);
  const playground = await light.newPage();
  await openPlayground(playground, { model: "assistant" });
  await send(playground, "Explain in **one sentence** what a gateway for models is for.");
  await settledReply(playground);
  await playground.screenshot({ path: `${IMAGES}/playground.png` });
  await light.close();

  const { key } = await makeKey(gateway, root, { name: "Support" });
  for (let call = 0; call < 12; call += 1) {
    const model = call % 3 === 2 ? "demo-reasoning" : "assistant";
    const question = QUESTIONS[call % QUESTIONS.length] ?? "";
    await (await callModel(gateway, key, question, { model, stream: call % 2 === 0 })).text();
  }
  const dark = await browser.newContext({ ...options, colorScheme: "dark" });
  await signedIn(dark, gateway, root);
  const logs = await dark.newPage();
  await logs.goto("/console/logs?hide=user");
  await expect(logs.getByRole("row").nth(8)).toBeVisible();
  await logs.screenshot({ path: `${IMAGES}/logs.png` });
  await dark.close();
});
