// Accessibility of a settled page: axe-core's rules and no sideways scrolling.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";

const AXE_SOURCE = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);
const ALL_RULES: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};
const COLOURS = ["color-contrast", "link-in-text-block"];
const RULES_OF_COLOURS: RunOptions = { runOnly: { type: "rule", values: COLOURS } };
const OTHER_RULES: RunOptions = {
  ...ALL_RULES,
  rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])),
};

/** One line for each element that breaks a rule. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  return violations(page, ALL_RULES);
}

/** The same for the rules that another theme can break. */
export async function contrastViolations(page: Page): Promise<string[]> {
  return violations(page, RULES_OF_COLOURS);
}

/** The same for the rules that another width can break. */
export async function layoutViolations(page: Page): Promise<string[]> {
  return violations(page, OTHER_RULES);
}

async function violations(page: Page, rules: RunOptions): Promise<string[]> {
  // Evaluated by the debugger, so the page's content security policy stays in force.
  await page.evaluate(AXE_SOURCE);
  const results = await page.evaluate<AxeResults, RunOptions>(
    (options) => (window as unknown as { axe: typeof import("axe-core") }).axe.run(options),
    { ...rules, resultTypes: ["violations"] },
  );
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id} (${help}): ${node.html}`),
  );
}

/** Waits until the page stands in a theme, with all colours that fade over to it. */
export async function settledIn(page: Page, theme: "light" | "dark"): Promise<void> {
  // The page of the address has no theme of its own: its style sheet follows at once.
  const shown = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme);
  await expect.poll(async () => (await shown()) ?? theme).toBe(theme);
  await page.evaluate(async () => {
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
    // One that is cancelled on its way is over as well.
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** By how many pixels the page is wider than the window. */
export async function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}
