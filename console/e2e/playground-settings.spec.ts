// Journeys of what goes along with a message in the playground: settings, files, tools, reasoning.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { makeChannel, manage, setUp, unique } from "./support/accounts";
import { startGateway } from "./support/gateway";
import {
  composer,
  curlBody,
  openPlayground,
  replies,
  send,
  settledReply,
  shownCode,
} from "./support/playground";
import { expect, signedIn, test } from "./support/test";

test("14 · the upstream gets exactly the body that the code panel shows", async ({
  page,
  context,
  watch,
}) => {
  const bodies: unknown[] = [];
  const upstream = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      bodies.push(JSON.parse(Buffer.concat(pieces).toString()));
      const reply = {
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "gpt-4o-mini",
        choices: [
          { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Seen" } },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  const own = await startGateway({ OUTBOUND__ALLOW_PRIVATE: "127.0.0.0/8" });
  try {
    const admin = await setUp(own);
    await manage(own, admin, "POST", "/api/channel/", {
      name: unique("recorder"),
      type: "openai",
      base_url: `http://127.0.0.1:${port}/v1`,
      key: "k",
      models: ["gpt-4o-mini"],
    });
    await signedIn(context, own, admin);
    watch.expectProblem(/foreign request: http:\/\/127\.0\.0\.1/);
    await page.goto(`${own.address}/console/playground?model=gpt-4o-mini&whole=true`);
    await page.getByLabel("System prompt").fill("Be brief.");
    await page.getByRole("switch", { name: "Send Temperature" }).press("Space");
    await page.getByRole("switch", { name: "Send Max tokens" }).press("Space");
    await page.getByRole("switch", { name: "Send Seed" }).press("Space");
    await composer(page).fill("Is it's $HOME?");
    const before = curlBody(await shownCode(page, "cURL"));
    await page.keyboard.press("Escape");
    await composer(page).press("Enter");
    await expect(replies(page).last()).toContainText("Seen");
    expect(bodies.at(-1)).toEqual(before);
    expect(before).toMatchObject({ temperature: 1, max_completion_tokens: 1024, seed: 1 });

    await page.getByRole("switch", { name: "Send Temperature" }).press("Space");
    await page.getByRole("switch", { name: "Send Seed" }).press("Space");
    const after = curlBody(await shownCode(page, "cURL"));
    await page.keyboard.press("Escape");
    await replies(page).last().getByRole("button", { name: "Regenerate" }).click();
    await expect.poll(() => bodies.length).toBe(2);
    expect(bodies.at(-1)).toEqual(after);
    expect(after).not.toHaveProperty("temperature");
    await expect(page).toHaveURL(/system=Be\+brief/);
  } finally {
    // A page that still asks would find nobody.
    await page.goto("about:blank");
    await own.stop();
    upstream.close();
  }
});

test("16 · limits of the messages endpoint hold in the form, and the API's word is shown", async ({
  userPage: page,
  watch,
}) => {
  watch.expectProblem(/status of 400/);
  await openPlayground(page, {
    endpoint: "messages",
    parameters: { temperature: { send: true, value: 1.1 }, maxTokens: { send: true, value: 0 } },
  });
  await composer(page).fill("hello");
  await expect(page.getByText("0 to 1")).toBeVisible();
  await expect(page.getByText("At least 1")).toBeVisible();
  await expect(page.getByRole("button", { name: "Send", exact: true })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
  await composer(page).press("Enter");
  await expect(page.getByRole("alert")).toContainText("outside its limits");
  await expect(replies(page)).toHaveCount(0);

  await page.getByRole("textbox", { name: "Temperature" }).fill("0.5");
  await page.getByRole("textbox", { name: "Max tokens" }).fill("100");
  await page.getByRole("button", { name: "Extra body" }).click();
  await page.getByLabel("JSON object").fill('{"max_tokens": 0}');
  await composer(page).press("Enter");
  const reply = replies(page).last();
  await expect(reply.getByRole("alert")).toContainText("Refused with status 400");
  await expect(reply.getByRole("alert")).toContainText("max_tokens");
  await expect(reply.getByRole("alert")).toContainText("Request id");
});

test("17 · images are pasted, refused when too large, and kept from models that do not see", async ({
  userPage: page,
  gateway,
  root,
}) => {
  const blind = unique("blind");
  await manage(gateway, root, "POST", "/api/channel/", {
    name: blind,
    type: "openai",
    key: "k",
    models: ["gpt-3.5-turbo"],
  });
  await openPlayground(page, { model: "demo-chat" });
  await composer(page).focus();
  const paste = (bytes: number) =>
    page.evaluate((size) => {
      const png = Uint8Array.from(
        atob(
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        ),
        (c) => c.charCodeAt(0),
      );
      const file = new File([size === 0 ? png : new Uint8Array(size)], "dot.png", {
        type: "image/png",
      });
      const data = new DataTransfer();
      data.items.add(file);
      document.activeElement?.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
      );
    }, bytes);
  await paste(16_000_000);
  await expect(page.getByRole("alert")).toContainText("larger than 15 MB");
  await paste(0);
  await expect(page.getByRole("button", { name: "Open dot.png in full size" })).toBeVisible();
  const sent = page.waitForRequest(/\/v1\/chat\/completions/);
  await send(page, "what is this?");
  expect((await sent).postData()).toContain("data:image/png;base64,iVBORw0KGgo");
  await settledReply(page);

  await openPlayground(page, { model: "gpt-3.5-turbo" });
  // Once it says so, what the model takes is known.
  const attach = page.getByRole("button", { name: "Attach files" });
  await expect(attach).toHaveAttribute("aria-disabled", "true");
  await expect(attach).toHaveAttribute("aria-description", /gpt-3.5-turbo takes no files/);
  await composer(page).focus();
  await paste(0);
  await expect(page.getByRole("alert")).toContainText("gpt-3.5-turbo does not look at images");
});

test("an administrator sends calls through one channel", async ({
  gateway,
  root,
  rootPage: page,
}) => {
  const models = ["demo-chat"];
  const spare = await makeChannel(gateway, root, { models, priority: -50 });
  await openPlayground(page, { model: "demo-chat" });
  await send(page, "as routed");
  await expect(await settledReply(page)).not.toContainText(spare.name);

  const field = page.getByRole("combobox", { name: "Channel" });
  await field.fill(spare.name);
  await page.getByRole("option", { name: spare.name }).click();
  const notice = page.getByText(`Calls go through ${spare.name} alone`);
  await expect(notice).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`channel=${spare.id}`));
  await send(page, "through the spare one");
  await expect(replies(page)).toHaveCount(2);
  await expect(await settledReply(page)).toContainText(spare.name);
  await shownCode(page, "cURL");
  await expect(page.getByRole("dialog")).toContainText("Only the playground keeps to a channel");
  await page.keyboard.press("Escape");

  await page.getByRole("alert").getByRole("button", { name: "Use any channel" }).click();
  await expect(notice).toHaveCount(0);
  await expect(page).not.toHaveURL(/channel=/);
});

test("a link with a channel in it is an ordinary one for everybody else", async ({
  gateway,
  root,
  userPage: page,
}) => {
  const spare = await makeChannel(gateway, root, { models: ["demo-chat"], priority: -50 });
  await openPlayground(page, { model: "demo-chat", channel: spare.id });
  await send(page, "hello");
  await expect(await settledReply(page)).not.toContainText(spare.name);
  await expect(page.getByRole("combobox", { name: "Channel" })).toHaveCount(0);
});

const TOOLS = JSON.stringify([
  { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
]);

test("18 · a tool call shows its arguments, and a typed result continues", async ({
  userPage: page,
}) => {
  await openPlayground(page, { model: "demo-chat", tools: TOOLS });
  await send(page, "use get_weather now");
  const card = page.getByRole("group", { name: "Tool call get_weather" });
  await expect(card).toContainText('city: "demo"');
  await card.getByLabel("Result of get_weather").fill("4 degrees");
  await card.getByRole("button", { name: "Give the result" }).click();
  await expect(replies(page)).toHaveCount(2);
  await expect(card).toContainText("4 degrees");
  await settledReply(page);
});

test("19 · reasoning is folded with its time and tokens, and not copied", async ({
  userPage: page,
}) => {
  await openPlayground(page, { model: "demo-reasoning" });
  await send(page, "two words");
  const reply = await settledReply(page);
  const fold = reply.getByRole("button", { name: /^Reasoning/ });
  await expect(fold).toContainText(/\d+ tokens/);
  await expect(fold).toContainText(/\d+ (ms|sec)/);
  await expect(fold).toHaveAttribute("aria-expanded", "false");
  await fold.click();
  await expect(reply.getByText("The user says 2 words; I will say them back.")).toBeVisible();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await reply.getByRole("button", { name: "Copy the message" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe("Hello from demo-reasoning. You said: two words");
});
