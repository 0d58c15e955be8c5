// Going through a page without a pointer: Tab until the wanted control has the focus.

import { expect, type Locator, type Page } from "@playwright/test";

const MOST_STEPS = 80;

export interface Keyboard {
  /** Tabs to a control; fails where none of the stops is it. */
  to: (control: Locator) => Promise<void>;
  /** Tabs to the enabled button of that name and presses it. */
  press: (name: string) => Promise<void>;
}

export function keyboardOf(page: Page): Keyboard {
  const to = async (control: Locator) => {
    await expect(control).toBeVisible();
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (await control.evaluate((element) => element === document.activeElement)) {
        return;
      }
      await page.keyboard.press("Tab");
    }
    throw new Error(`${String(control)} cannot be reached by Tab`);
  };
  return {
    to,
    press: async (name) => {
      const button = page.getByRole("button", { name, exact: true });
      await expect(button).toBeEnabled();
      await to(button);
      await page.keyboard.press("Enter");
    },
  };
}
