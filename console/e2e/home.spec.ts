// Journeys of the home page.

import { clipboardText } from "./support/clipboard";
import { type Gateway, startGateway } from "./support/gateway";
import { expect, test } from "./support/test";

const STYLES = [
  { name: /^OpenAI/, suffix: "/v1", sample: "/v1/chat/completions" },
  { name: /^Anthropic/, suffix: "", sample: "/v1/messages" },
  { name: /^Gemini/, suffix: "/v1beta", sample: "/v1beta/models/demo-chat:generateContent" },
] as const;

test.describe("with scripts off", () => {
  test.use({ javaScriptEnabled: false });

  test("3 · the address of each style is readable with scripts off", async ({ page, gateway }) => {
    const html = await (await page.request.get("/")).text();
    expect(html).toContain(`value="${gateway.address}/v1"`);
    expect(html).not.toContain("__MODELGATE_BASE__");

    await page.goto("/");
    for (const { name, suffix, sample } of STYLES) {
      await page.locator("label", { hasText: name }).click();
      await expect(page.getByRole("textbox")).toHaveValue(`${gateway.address}${suffix}`);
      await expect(page.locator("pre:visible")).toContainText(`curl ${gateway.address}${sample}`);
    }
    // Nothing is offered that would need a script.
    await expect(page.getByRole("button")).toHaveCount(0);
    await expect(page.getByRole("combobox")).toHaveCount(0);
  });
});

test("4 · the copy button copies the address of each style", async ({ page, context, gateway }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  const card = page.getByRole("region", { name: "API base address" });
  for (const { name, suffix } of STYLES) {
    await card.locator("label", { hasText: name }).click();
    await card.getByRole("button", { name: "Copy" }).click();
    await expect(card.getByRole("button", { name: "Copied" })).toBeVisible();
    await expect(page.getByText("Copied to the clipboard")).toBeAttached();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`${gateway.address}${suffix}`);
  }
  // The choice is part of the address, so a shared link opens the same view.
  await expect(page).toHaveURL(`${gateway.address}/?style=gemini`);
  await page.reload();
  await expect(card.getByRole("radio", { name: /^Gemini/ })).toBeChecked();
});

test("4 · copying works on a plain http origin", async ({ page, context, gateway }) => {
  await page.goto(`http://gateway.test:${gateway.port}/`);
  expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
  const card = page.getByRole("region", { name: "API base address" });
  const shown = await card.getByRole("textbox").inputValue();
  await card.getByRole("button", { name: "Copy" }).click();
  const button = card.getByRole("button", { name: "Copied" });
  await expect(button).toBeVisible();
  await expect(button).toBeFocused();
  expect(await clipboardText(context)).toBe(shown);
});

test("the copied sample is the sample that is shown", async ({ page, context, gateway }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  const headings = page.getByRole("heading", { name: "First call" });
  await expect(headings).toBeVisible();
  for (const { name, sample } of STYLES) {
    await page.locator("label", { hasText: name }).click();
    await page.locator(".sample").getByRole("button", { name: "Copy" }).click();
    await expect(page.locator(".sample").getByRole("button", { name: "Copied" })).toBeVisible();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await page.locator("pre:visible").textContent());
    expect(copied.split("\n")).toHaveLength(5);
    expect(copied.startsWith(`curl ${gateway.address}${sample} \\\n`)).toBe(true);
  }
});

test("theme and language persist, and the console shares them", async ({ page, watch }) => {
  // Whoever is not signed in is told so by the gateway.
  watch.expectProblem(/401/);
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("combobox", { name: "Theme" }).selectOption("Dark");
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.getByRole("combobox", { name: "Language" }).selectOption("简体中文");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("一个地址，所有模型");

  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("一个地址，所有模型");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  expect(await ground()).toBe(dark);

  await page.getByRole("link", { name: "登录" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("登录");
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await page.getByRole("button", { name: "主题：深色" }).click();
  await page.getByRole("menuitemradio", { name: "浅色" }).click();
  await page.goto("/");
  expect(await ground()).toBe(light);
  await expect(page.getByRole("combobox", { name: "主题" })).toHaveValue("light");
});

test("the status follows the gateway", async ({ page, watch }) => {
  await page.clock.install();
  await page.goto("/");
  const status = page.locator("#status");
  await expect(status).toHaveText("Gateway is ready");

  watch.expectProblem(/ERR_CONNECTION_REFUSED/);
  await page.route("/readyz", (route) => route.abort("connectionrefused"));
  await page.clock.runFor(16_000);
  await expect(status).toHaveText("Gateway does not answer");

  await page.unroute("/readyz");
  await page.clock.runFor(16_000);
  await expect(status).toHaveText("Gateway is ready");
});

test("5 · behind a proxy the address follows the setting, or the host of a trusted proxy", async ({
  page,
}) => {
  const addressOf = async (gateway: Gateway, headers: Record<string, string>) => {
    const html = await (await page.request.get(`${gateway.address}/`, { headers })).text();
    return /id="address-anthropic"[^>]*value="([^"]*)"/.exec(html)?.[1];
  };
  const forwarded = { "x-forwarded-host": "models.example.org", "x-forwarded-proto": "https" };
  const [fixed, trusting, careful] = await Promise.all([
    startGateway({ SERVER__PUBLIC_URL: "https://gateway.example.org" }),
    startGateway({ SERVER__TRUSTED_PROXIES: "127.0.0.1" }),
    startGateway(),
  ]);
  try {
    expect(await addressOf(fixed, forwarded)).toBe("https://gateway.example.org");
    expect(await addressOf(trusting, forwarded)).toBe("https://models.example.org");
    expect(await addressOf(careful, forwarded)).toBe(careful.address);
  } finally {
    await Promise.all([fixed.stop(), trusting.stop(), careful.stop()]);
  }
});
