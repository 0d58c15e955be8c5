// Journeys of the playground's other endpoints and of the comparison.

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { makeChannel, unique } from "./support/accounts";
import { composer, openPlayground, replies, send, settledReply } from "./support/playground";
import { expect, test } from "./support/test";

/** Runs the form and waits for the charge of the call. */
async function run(page: Page) {
  await page.getByRole("button", { name: "Run" }).click();
  const result = page.getByRole("region", { name: "Result" });
  await expect(result.getByText(/^\$/)).toBeVisible();
  await expect(result.getByRole("link", { name: "Open log" })).toBeVisible();
  return result;
}

const choose = async (page: Page, endpoint: string) => {
  await page.getByLabel("Endpoint").first().click();
  await page.getByRole("option", { name: endpoint, exact: true }).click();
};

test("20 · four models are compared, and the one that fails stops no other", async ({
  userPage: page,
  gateway,
  root,
  watch,
}) => {
  watch.expectProblem(/status of 503/);
  const failing = await makeChannel(gateway, root, { faults: { status: 503 } });
  const models = ["demo-chat", "demo-reasoning", "demo-chat", failing.model];
  await page.goto(`/console/playground/compare?models=${models.join(",")}`);
  await expect(page.getByRole("article", { name: /^Column/ })).toHaveCount(4);
  await send(page, "compare me");
  const answers = replies(page);
  await expect(answers.filter({ hasText: "You said: compare me" })).toHaveCount(3);
  await expect(answers.getByRole("alert")).toHaveCount(1);
  await expect(answers.getByRole("alert")).toContainText("The upstream failed");
  const table = page.getByRole("table", { name: "Times, tokens and charges" });
  await expect(table.getByText("Complete")).toHaveCount(3);
  await expect(table.getByText("Failed")).toHaveCount(1);
  await expect(table.getByText(/^\$/)).toHaveCount(4);
  await table.getByRole("button", { name: "Column 2 is best" }).click();
  await expect(table.getByRole("button", { name: "Column 2 is best" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
});

test("21 · every other endpoint shows its result and its log line", async ({
  userPage: page,
}, info) => {
  test.slow();
  await openPlayground(page);
  await choose(page, "Completions");
  await page.getByLabel("Model", { exact: true }).first().fill("demo-chat");
  await send(page, "once upon");
  await expect(await settledReply(page)).toContainText("once upon");

  await choose(page, "Embeddings");
  await page.getByLabel("Texts 1").fill("red fox");
  await page.getByRole("button", { name: "Add a text" }).click();
  await page.getByLabel("Texts 2").fill("red wolf");
  const vectors = await run(page);
  await expect(vectors.getByRole("table", { name: "Vectors" }).locator("tbody tr")).toHaveCount(2);
  await expect(vectors.getByRole("table", { name: "Vectors" })).toContainText("256");
  await expect(vectors.getByRole("table", { name: "Cosine between the texts" })).toContainText(
    "1.000",
  );

  await choose(page, "Rerank");
  await page.getByLabel("Query").fill("red wolf");
  const ranked = await run(page);
  await expect(ranked.getByRole("listitem").first()).toContainText("red wolf");

  await choose(page, "Images");
  await page.getByLabel("Prompt").fill("a tile");
  const image = await run(page);
  await expect(image.getByRole("img", { name: "image-1.png" })).toBeVisible();
  const download = page.waitForEvent("download");
  await image.getByRole("link", { name: "Download image-1.png" }).click();
  const picture = info.outputPath("image.png");
  await (await download).saveAs(picture);

  await choose(page, "Image edit");
  // As bytes: a browser in the C locale finds no file whose path has other letters than English ones.
  await page.locator('input[type="file"]:not([accept*="json"])').setInputFiles({
    name: "image.png",
    mimeType: "image/png",
    buffer: await readFile(picture),
  });
  const edited = await run(page);
  await expect(edited.getByRole("img", { name: "image-1.png" })).toBeVisible();

  await choose(page, "Speech");
  await page.getByLabel("Text to speak").fill("hello");
  const spoken = await run(page);
  await expect(spoken.getByLabel("The spoken text")).toBeVisible();
  const sound = page.waitForEvent("download");
  await spoken.getByRole("link", { name: /^Download speech/ }).click();
  const recording = info.outputPath("speech.mp3");
  await (await sound).saveAs(recording);

  await choose(page, "Transcription");
  await page.locator('input[type="file"]:not([accept*="json"])').setInputFiles({
    name: "speech.mp3",
    mimeType: "audio/mpeg",
    buffer: await readFile(recording),
  });
  await page.getByRole("switch", { name: "Send Format" }).press("Space");
  const written = await run(page);
  await expect(written.getByRole("table", { name: "Segments" })).toBeVisible();
});

test("22 · a realtime session lists its events, and a refused one says why", async ({
  userPage: page,
  watch,
}) => {
  watch.expectProblem(/WebSocket connection to/);
  await openPlayground(page, { endpoint: "realtime", model: "demo-realtime" });
  await page.getByRole("button", { name: "Connect" }).click();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await send(page, "hello there");
  await expect(page.getByRole("group", { name: "Reply" })).toContainText("hello there");
  const events = page.getByRole("list", { name: "Events" });
  await expect(events).toContainText("session.created");
  await expect(events).toContainText("response.done");
  await page.getByRole("button", { name: "Disconnect" }).click();
  await expect(page.getByText("Closed with code 1000")).toBeVisible();
  await expect(page.getByText("The session ended normally.")).toBeVisible();

  const model = unique("no-such-model");
  await openPlayground(page, { endpoint: "realtime", model });
  await page.getByRole("button", { name: "Connect" }).click();
  await expect(page.getByText("Closed with code 1006")).toBeVisible();
  const alert = page.getByRole("alert").filter({ hasText: "Not found (status 404)" });
  await expect(alert).toContainText(`The model \`${model}\` does not exist`);
  await expect(alert).toContainText("code: model_not_found");
  await expect(alert).toContainText("Request id");
  await expect(composer(page)).toHaveCount(0);
});
