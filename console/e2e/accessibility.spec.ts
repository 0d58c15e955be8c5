// A sweep over every page and state: axe-core's rules in both themes, no sideways scrolling on a phone.

import type { Page } from "@playwright/test";
import { accessibilityViolations, sidewaysScroll } from "./support/accessibility";
import { expect, test } from "./support/test";

interface View {
  name: string;
  open: (page: Page) => Promise<void>;
}

const refuse = async (page: Page) => {
  await page.route(/\/(readyz|healthz|metrics)$/, (route) => route.abort("connectionrefused"));
};

const VIEWS: readonly View[] = [
  {
    name: "home",
    open: async (page) => {
      await page.goto("/");
      await expect(page.locator("#status")).toHaveText("Gateway is ready");
    },
  },
  {
    name: "home while the gateway does not answer",
    open: async (page) => {
      await refuse(page);
      await page.goto("/?style=gemini");
      await expect(page.locator("#status")).toHaveText("Gateway does not answer");
    },
  },
  {
    name: "system",
    open: async (page) => {
      await page.goto("/console/system");
      await expect(page.getByRole("table")).toBeVisible();
    },
  },
  {
    name: "system with nothing found",
    open: async (page) => {
      await page.goto("/console/system?metric=nothing-like-this");
      await expect(page.getByRole("button", { name: "Clear filters" })).toBeVisible();
    },
  },
  {
    name: "system after a failure",
    open: async (page) => {
      await page.goto("/console/system");
      await expect(page.getByRole("table")).toBeVisible();
      await refuse(page);
      await expect(page.getByRole("alert")).toHaveCount(2, { timeout: 10_000 });
    },
  },
  {
    name: "system without any answer",
    open: async (page) => {
      await refuse(page);
      await page.goto("/console/system");
      await expect(page.getByRole("alert")).toHaveCount(2);
    },
  },
  {
    name: "system with an open menu",
    open: async (page) => {
      await page.goto("/console/system");
      await page.getByRole("button", { name: /^Theme/ }).click();
      await expect(page.getByRole("menuitemradio", { name: "Dark" })).toBeVisible();
    },
  },
  {
    name: "page not found",
    open: async (page) => {
      await page.goto("/console/nowhere");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
    },
  },
];

for (const { name, open } of VIEWS) {
  test(`accessible in both themes and on a phone: ${name}`, async ({ page, watch }) => {
    watch.expectProblem(/ERR_CONNECTION_REFUSED/);
    await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light" });
    await open(page);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => sidewaysScroll(page)).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
  });
}
