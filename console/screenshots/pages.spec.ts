// Every page with something on it, in both themes, as pictures to look at: `npm run screenshots`.
// Nothing is asserted; what is wrong in a picture is for people to see.

import type { Page } from "@playwright/test";
import { expect, signedIn, test } from "../e2e/support/test";
import { seed } from "./seed";

const PUBLIC = ["/", "/login", "/register", "/forgot", "/models", "/status"];
const PAGES = [
  "overview",
  "playground?model=demo-chat",
  "playground/compare",
  "keys",
  "keys?new=true",
  "connect",
  "usage?range=1h",
  "logs",
  "wallet",
  "account",
  "account?section=security",
  "account?section=sessions",
  "account?section=preferences",
  "channels",
  "channels?view=table",
  "channels/new",
  "channels/1",
  "channels/matrix",
  "routing",
  "routing?tab=map",
  "incidents",
  "incidents/1",
  "models",
  "users",
  "users/1",
  "groups",
  "codes",
  "orders",
  "announcements",
  "audit",
  "tasks",
  "settings/general",
  "settings/import",
  "system",
] as const;

async function take(page: Page, path: string, theme: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
  // Live pages never fall silent: a second is enough for what is drawn after the data.
  await page.waitForLoadState("networkidle", { timeout: 1_000 }).catch(() => undefined);
  const name = path.replace(/^\/(console\/)?/, "").replace(/[^\w-]+/g, "-") || "home";
  await page.screenshot({ path: `test-results/pages/${name}-${theme}.png` });
}

test("pictures of every page", async ({ browser, gateway, root }) => {
  const { requestId } = await seed(gateway, root);
  for (const theme of ["light", "dark"] as const) {
    const context = await browser.newContext({
      baseURL: gateway.address,
      viewport: { width: 1280, height: 800 },
      colorScheme: theme,
      locale: "en-US",
    });
    const page = await context.newPage();
    for (const path of PUBLIC) {
      await take(page, path, theme);
    }
    await signedIn(context, gateway, root);
    for (const path of [...PAGES, `logs/${requestId}`]) {
      await take(page, `/console/${path}`, theme);
    }
    await context.close();
  }
});
