// Every page with something on it, in both themes and some at the width of a phone, as pictures to look at:
// `npm run screenshots`; `VIEWS=logs,keys npm run screenshots` takes only those. Nothing is asserted; what is
// wrong in a picture is for people to see.

import type { BrowserContextOptions, Page } from "@playwright/test";
import { manage } from "../e2e/support/accounts";
import { expect, signedIn, test } from "../e2e/support/test";
import { seed } from "./seed";
import { consoleViews, ON_PHONES, PUBLIC, type View } from "./views";

const WANTED = process.env.VIEWS?.split(",");
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

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

test("pictures of every page", async ({ browser, gateway, root }) => {
  const { requestId } = await seed(gateway, root);
  const tasks = await manage<{ items: { id: string; kind: string }[] }>(
    gateway,
    root,
    "GET",
    "/api/task/",
  );
  const matrixTask = tasks.items.find(({ kind }) => kind.includes("test"))?.id ?? "";
  const open = async (options: BrowserContextOptions) =>
    browser.newContext({ baseURL: gateway.address, locale: "en-US", ...options });
  for (const theme of ["light", "dark"] as const) {
    const context = await open({ viewport: DESK, colorScheme: theme });
    const page = await context.newPage();
    for (const view of PUBLIC) {
      await take(page, view, theme);
    }
    await signedIn(context, gateway, root);
    for (const view of consoleViews({ requestId, matrixTask })) {
      await take(page, view, theme);
    }
    await context.close();
  }
  const phone = await open({ viewport: PHONE, colorScheme: "light", hasTouch: true });
  await signedIn(phone, gateway, root);
  const page = await phone.newPage();
  for (const view of ON_PHONES) {
    await take(page, view, "phone");
  }
  await phone.close();
});
