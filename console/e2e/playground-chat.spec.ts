// Journeys of the playground's conversation: streaming, stopping, breaking off, keyboard, screen reader.

import { makeChannel, makeUser, manage } from "./support/accounts";
import { composer, openPlayground, replies, send, settledReply } from "./support/playground";
import { expect, signedIn, test } from "./support/test";

const MARKDOWN =
  "a list:\n\n- one\n- **two**\n\n```js\nconst x = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |";

test("11 · a chat streams in order and ends as the whole reply would", async ({
  userPage: page,
  gateway,
  root,
}) => {
  const { model } = await makeChannel(gateway, root, { faults: { pace: 40 } });
  await openPlayground(page, { model });
  await send(page, MARKDOWN);
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  await expect(replies(page).last()).toHaveAttribute("aria-busy", "true");
  await expect(replies(page).last()).toContainText("Hello from demo-chat. You said: a list:");
  const streamed = await settledReply(page);
  await expect(streamed.locator("li")).toHaveText(["one", "two"]);
  await expect(streamed.locator("td")).toHaveText(["1", "2"]);
  // Code gets its colours once its block is closed.
  await expect(streamed.locator("pre code span span").first()).toHaveText("const");
  const html = await streamed.locator("pre, li, table, p").allInnerTexts();

  await page.getByRole("switch", { name: "Stream the reply" }).press("Space");
  await streamed.getByRole("button", { name: "Regenerate" }).click();
  await expect(replies(page)).toHaveCount(1);
  const whole = await settledReply(page);
  await expect(whole.locator("pre code span span").first()).toHaveText("const");
  expect(await whole.locator("pre, li, table, p").allInnerTexts()).toEqual(html);
  await expect(whole).toContainText("Channel");
  await whole.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Raw events" }).click();
  await expect(page.getByRole("region", { name: "Raw events" })).toContainText("chat.completion");
});

test("12 · a stream that is stopped keeps its text and its charge", async ({
  userPage: page,
  user,
  gateway,
  root,
}) => {
  const { model } = await makeChannel(gateway, root, { faults: { pace: 60 } });
  await openPlayground(page, { model });
  await send(page, "word ".repeat(30));
  await expect(replies(page).last()).toContainText("You said: word word");
  await page.getByRole("button", { name: "Stop" }).click();
  const reply = await settledReply(page);
  await expect(reply).toContainText("You stopped this reply");
  await expect(reply).toContainText("You said: word word");
  const shown = await reply.getByText(/^\$/).getAttribute("title");
  const { items } = await manage<{
    items: { charge_usd: string; usage: { output_tokens: number } }[];
  }>(gateway, user, "GET", "/api/log/self?limit=1");
  expect(shown).toContain(items[0]?.charge_usd ?? "no charge");
  // Fewer than the whole answer has: the upstream was told to stop.
  expect(items[0]?.usage.output_tokens).toBeLessThan(40);
});

test("13 · a stream that the upstream cuts says so, and a retry replaces it", async ({
  userPage: page,
  gateway,
  root,
}) => {
  const { id, model } = await makeChannel(gateway, root, { faults: { cut_after_tokens: 6 } });
  await openPlayground(page, { model });
  await send(page, "tell me everything about foxes");
  const reply = await settledReply(page);
  await expect(reply).toContainText("Hello from demo-chat");
  await expect(reply.getByRole("alert")).toContainText(
    /Cut off after \d+ tokens, charged for those/,
  );

  await manage(gateway, root, "PUT", "/api/channel/", { id, overrides: { demo: {} } });
  await reply.getByRole("button", { name: "Retry" }).click();
  await expect(replies(page).last()).toContainText("about foxes");
  await expect(replies(page)).toHaveCount(1);
  await expect(page.getByRole("article", { name: "You" })).toHaveCount(1);
  await expect(page.getByText("Cut off after")).toHaveCount(0);
});

test("45 · a conversation is held by keyboard alone", async ({ userPage: page }) => {
  await openPlayground(page, { model: "demo-chat" });
  await composer(page).focus();
  await page.keyboard.type("line one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("line two");
  await expect(composer(page)).toHaveValue("line one\nline two");
  await page.reload();
  await expect(composer(page)).toHaveValue("line one\nline two");
  await composer(page).focus();
  await page.keyboard.press("Enter");
  await settledReply(page);
  await expect(composer(page)).toBeFocused();
  await expect(composer(page)).toHaveValue("");
  // Back to the reply's own buttons, without a pointer.
  await replies(page).last().getByRole("button", { name: "Regenerate" }).focus();
  await page.keyboard.press("Enter");
  await expect(replies(page)).toHaveCount(1);
  await settledReply(page);
});

test("46 · a streamed reply is announced as begun, then once and whole", async ({
  userPage: page,
  gateway,
  root,
}) => {
  const { model } = await makeChannel(gateway, root, { faults: { pace: 200 } });
  await openPlayground(page, { model });
  const region = page.getByRole("status").filter({ hasText: /Generating|Hello/ });
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    new MutationObserver(() => {
      for (const status of document.querySelectorAll('[role="status"]')) {
        const text = status.textContent ?? "";
        if (text !== "" && heard.at(-1) !== text) {
          heard.push(text);
        }
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await send(page, "speak slowly please");
  await expect(region).toHaveText("Generating");
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  const whole = "Hello from demo-chat. You said: speak slowly please";
  await expect(region).toHaveText(whole);
  expect(await page.evaluate(() => (window as unknown as { heard: string[] }).heard)).toEqual([
    "Generating",
    whole,
  ]);
});

test("an empty wallet leads to the top-up, and a full channel counts down", async ({
  page,
  context,
  gateway,
  root,
  watch,
}) => {
  watch.expectProblem(/status of (402|429)/);
  const poor = await makeUser(gateway, root, { balance: 0 });
  await signedIn(context, gateway, poor);
  await openPlayground(page, { model: "demo-chat" });
  await send(page, "hello");
  await expect(replies(page).last()).toContainText("Balance used up");
  await expect(replies(page).last().getByRole("link", { name: "Top up" })).toHaveAttribute(
    "href",
    "/console/wallet",
  );

  const rich = await makeUser(gateway, root);
  const { model } = await makeChannel(gateway, root, { faults: { status: 429, retry_after: 30 } });
  await context.clearCookies();
  await signedIn(context, gateway, rich);
  await openPlayground(page, { model });
  await send(page, "hello");
  await expect(
    replies(page)
      .last()
      .getByRole("button", { name: /Retry in \d+ s/ }),
  ).toBeDisabled();
});
