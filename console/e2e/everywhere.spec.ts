// Journeys that are the same on every page: languages, reduced motion and zoom, failures.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { sidewaysScroll } from "./support/accessibility";
import { expect, test } from "./support/test";

const PAGES = [
  "/console/overview",
  "/console/keys",
  "/console/connect",
  "/console/usage",
  "/console/logs",
  "/console/account",
  "/console/channels",
  "/console/models",
  "/console/settings",
  "/console/system",
] as const;

/** Every key of the texts; none may be seen. */
const TEXTS = fileURLToPath(new URL("../src/i18n/console/en/", import.meta.url));
const KEYS = new Set(
  readdirSync(TEXTS).flatMap((name) =>
    Object.keys(JSON.parse(readFileSync(`${TEXTS}${name}`, "utf8"))),
  ),
);

async function settled(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("status", { name: /Loading|加载/ })).toHaveCount(0);
}

/** Texts that are cut off although nothing says that they may be. */
function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("h1, h2, nav a, main button, main label, th")]
      .filter((element) => {
        const { overflow, textOverflow } = getComputedStyle(element);
        const isCut = element.scrollWidth > element.clientWidth + 1 && overflow !== "visible";
        return isCut && textOverflow !== "ellipsis" && element.clientWidth > 0;
      })
      .map((element) => (element.textContent ?? "").slice(0, 60)),
  );
}

test("47 · Chinese on ten pages: no missing text, the right language, numbers by its customs", async ({
  rootPage: page,
}) => {
  test.slow();
  await page.addInitScript(() => localStorage.setItem("modelgate-language", "zh-CN"));
  for (const path of PAGES) {
    await page.goto(path);
    await settled(page);
    await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/\p{Script=Han}/u);
    // A missing text would show its key.
    const words = ((await page.locator("body").textContent()) ?? "").split(/\s+/);
    expect(
      words.filter((word) => KEYS.has(word)),
      path,
    ).toEqual([]);
  }
});

test("47 · texts that are 40 % longer are not cut off", async ({ rootPage: page }) => {
  test.slow();
  // Every English text grows as a translation would.
  await page.route(/\/assets\/en-[^/]+\.js$/, async (route) => {
    const answer = await route.fetch();
    const longer = (await answer.text()).replace(
      /(":\s*)(["`])((?:(?!\2)[^\\]|\\.){3,}?)\2/g,
      (_, start, quote, text) =>
        `${start}${quote}${text}${"~".repeat(Math.ceil(text.length * 0.4))}${quote}`,
    );
    await route.fulfill({ response: answer, body: longer });
  });
  for (const path of PAGES) {
    await page.goto(path);
    await settled(page);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/~$/);
    expect(await clippedTexts(page), path).toEqual([]);
    expect(await sidewaysScroll(page), path).toBe(0);
  }
});

test("48 · reduced motion, forced colours and 200 % zoom leave the pages usable", async ({
  rootPage: page,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce", forcedColors: "active" });
  // 1280 pixels at 200 % are 640.
  await page.setViewportSize({ width: 640, height: 400 });
  for (const path of ["/console/overview", "/console/keys", "/console/logs", "/console/system"]) {
    await page.goto(path);
    await settled(page);
    expect(await sidewaysScroll(page), path).toBe(0);
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ playState, effect }) => {
          const duration = effect?.getComputedTiming().duration;
          return playState === "running" && typeof duration === "number" && duration > 200;
        })
        .map((animation) => (animation as CSSAnimation).animationName ?? "transition"),
    );
    expect(moving, path).toEqual([]);
  }
  await page.getByRole("button", { name: "Navigation" }).click();
  await page.getByRole("link", { name: "Overview" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
});

// The account is read with the session itself, which must work for any page to be there.
for (const path of PAGES.filter((each) => each !== "/console/account")) {
  test(`50 · ${path} tells a failing interface and recovers by retry`, async ({
    rootPage: page,
    watch,
  }) => {
    watch.expectProblem(/500|ERR_CONNECTION_REFUSED/);
    const session = /\/api\/(user\/self|status|notice\/|task\/)(\?|$)/;
    const isData = (url: URL) =>
      (url.pathname.startsWith("/api/") && !session.test(url.pathname)) ||
      /^\/(readyz|healthz|metrics)$/.test(url.pathname);
    await page.route(isData, (route) =>
      route.fulfill({
        status: 500,
        headers: { "x-request-id": "0123456789abcdef0123456789abcdef" },
        json: { success: false, message: "Broken on purpose.", code: "internal_error", data: null },
      }),
    );
    await page.goto(path);
    const alert = page.getByRole("alert").filter({ hasText: "Broken on purpose." }).first();
    await expect(alert).toBeVisible();
    await expect(alert).toContainText("0123456789abcdef");
    await page.unroute(isData);
    // Each failed region has its own retry; the first shows that all can come back.
    const failed = await page.getByRole("button", { name: "Retry" }).count();
    await page.getByRole("button", { name: "Retry" }).first().click();
    await expect
      .poll(() => page.getByRole("button", { name: "Retry" }).count())
      .toBeLessThan(failed);
  });
}

test("50 · a connection that is lost leaves what is known, dimmed, with its age", async ({
  rootPage: page,
  watch,
}) => {
  watch.expectProblem(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
  await page.clock.install();
  await page.goto("/console/overview");
  const tile = page.getByRole("article", { name: "Requests today" });
  await expect(tile).toBeVisible();
  await page.context().setOffline(true);
  await page.clock.runFor(31_000);
  await expect(page.getByRole("alert").first()).toBeVisible();
  await expect(tile).toBeVisible();
  await page.context().setOffline(false);
});
