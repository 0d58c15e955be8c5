// Reads the clipboard through a paste, which works whatever the origin of the page that copied.

import type { BrowserContext } from "@playwright/test";

/** The clipboard's text. */
export async function clipboardText(context: BrowserContext): Promise<string> {
  const scratch = await context.newPage();
  await scratch.setContent("<textarea></textarea>");
  await scratch.locator("textarea").focus();
  await scratch.keyboard.press("Control+V");
  const text = await scratch.locator("textarea").inputValue();
  await scratch.close();
  return text;
}
