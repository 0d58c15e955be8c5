// What the playground's journeys share: opening the page with settings, sending, reading the last reply.

import { expect, type Locator, type Page } from "@playwright/test";

/** Opens the playground with these settings in its address. */
export async function openPlayground(
  page: Page,
  settings: Record<string, unknown> = {},
): Promise<void> {
  const query = Object.entries(settings).map(
    ([name, value]) =>
      `${name}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  await page.goto(`/console/playground?${query.join("&")}`);
  await expect(page.getByRole("heading", { level: 1, name: "Playground" })).toBeAttached();
}

export const composer = (page: Page): Locator =>
  page.getByRole("textbox", { name: "Message", exact: true });

export const replies = (page: Page): Locator => page.getByRole("article", { name: "Reply" });

/** Writes a message and sends it by Enter. */
export async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

/** The last reply once its charge is there. */
export async function settledReply(page: Page): Promise<Locator> {
  const reply = replies(page).last();
  await expect(reply.getByText(/^\$/)).toBeVisible();
  return reply;
}

/** Opens the code panel and reads the program in it. */
export async function shownCode(page: Page, language: string, style?: string): Promise<string> {
  const drawer = page.getByRole("dialog", { name: "The same call as code" });
  if (!(await drawer.isVisible())) {
    await page.getByRole("button", { name: "Code", exact: true }).click();
  }
  await drawer.getByText(language, { exact: true }).first().click();
  if (style !== undefined) {
    await drawer.getByText(style, { exact: true }).first().click();
  }
  return ((await drawer.locator("pre").textContent()) ?? "").trimEnd();
}

/** The JSON body inside a printed curl command. */
export function curlBody(code: string): unknown {
  const quoted = code.slice(code.indexOf("-d '") + 4, code.lastIndexOf("'"));
  return JSON.parse(quoted.replaceAll("'\\''", "'"));
}
