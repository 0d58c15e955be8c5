// Every page with something on it, in every width, both themes and two languages, as pictures to look at:
// `npm run screenshots`; `VIEWS=logs,keys npm run screenshots` takes only those. Nothing is asserted; what is
// wrong in a picture is for people to see.

import type { Browser, BrowserContextOptions, Page } from "@playwright/test";
import { type Account, logIn, makeUser, manage } from "../e2e/support/accounts";
import type { Gateway } from "../e2e/support/gateway";
import { expect, signedIn, test } from "../e2e/support/test";
import { seed } from "./seed";
import { consoleViews, OF_USERS, PUBLIC, type View } from "./views";

const WANTED = process.env.VIEWS?.split(",");

/** Not every combination: each page in each width, each theme and each language. */
const VARIANTS = {
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: "light", locale: "en-US" },
  tablet: { viewport: { width: 768, height: 1024 }, colorScheme: "dark", locale: "zh-CN" },
  phone: { viewport: { width: 360, height: 740 }, colorScheme: "light", locale: "zh-CN" },
  "dark-phone": { viewport: { width: 360, height: 740 }, colorScheme: "dark", locale: "en-US" },
} as const satisfies Record<string, BrowserContextOptions>;

const CHOSEN = process.env.VARIANTS?.split(",");

const nameOf = ({ path }: View) =>
  path
    // The list that visitors see beside the one of administrators.
    .replace(/^\/models/, "public-models")
    .replace(/^\/(console\/)?/, "")
    .replace(/[0-9a-f]{32}|task_\w+/g, "id")
    .replace(/&models.*/, "")
    .replace(/[^\w-]+/g, "-") || "home";

/** Live pages never fall silent: a second is enough for what is drawn after the data. */
async function quiet(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle", { timeout: 1_000 }).catch(() => undefined);
  await expect(page.locator(".mantine-Skeleton-root")).toHaveCount(0);
}

async function take(page: Page, view: View, variant: string): Promise<void> {
  const name = nameOf(view);
  if (WANTED?.some((wanted) => name.startsWith(wanted)) === false) {
    return;
  }
  await page.goto(view.path);
  await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
  await quiet(page);
  // What is drawn only once it is near shall be there, too.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await quiet(page);
  await page.evaluate(() => window.scrollTo(0, 0));
  await view.act?.(page);
  // A dialog covers the window and not the page.
  const fullPage = (await page.getByRole("dialog").count()) === 0;
  await page.screenshot({ path: `test-results/pages/${name}-${variant}.png`, fullPage });
}

async function matrixTaskOf(gateway: Gateway, root: Account): Promise<string> {
  const tasks = await manage<{ items: { id: string; kind: string }[] }>(
    gateway,
    root,
    "GET",
    "/api/task/",
  );
  return tasks.items.find(({ kind }) => kind.includes("test"))?.id ?? "";
}

/** Takes what one person sees; nobody where no account is given. */
async function takeAll(
  browser: Browser,
  gateway: Gateway,
  { views, of, as }: { views: readonly View[]; of?: Account; as?: string },
): Promise<void> {
  for (const [variant, options] of Object.entries(VARIANTS)) {
    if (CHOSEN?.includes(variant) === false) {
      continue;
    }
    const context = await browser.newContext({ baseURL: gateway.address, ...options });
    if (of !== undefined) {
      await signedIn(context, gateway, of);
    }
    const page = await context.newPage();
    // What is done on a page beforehand is told by its English names.
    for (const view of views.filter(({ act }) => !act || options.locale === "en-US")) {
      await take(page, view, as === undefined ? variant : `${as}-${variant}`);
    }
    await context.close();
  }
}

test("pictures of every page", async ({ browser, gateway, root }) => {
  const newcomer = await makeUser(gateway, root, { username: "newcomer" });
  await takeAll(browser, gateway, { views: OF_USERS, of: newcomer, as: "newcomer" });
  const ids = await seed(gateway, root);
  const matrixTask = await matrixTaskOf(gateway, root);
  await takeAll(browser, gateway, { views: PUBLIC });
  await takeAll(browser, gateway, { views: consoleViews({ ...ids, matrixTask }), of: root });
  const user = await logIn(gateway, "bela");
  await takeAll(browser, gateway, { views: OF_USERS, of: user, as: "user" });
});
