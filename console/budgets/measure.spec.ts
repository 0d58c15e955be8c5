// The table of budgets, measured: median of five where a time is meant.

import type { Browser, BrowserContext, Page } from "@playwright/test";
import { callModel, makeKey } from "../e2e/support/accounts";
import { expect, signedIn, test } from "../e2e/support/test";
import { embeddedMegabytes, fetchedBy, largestLanguage } from "./sizes";

const RUNS = 5;
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1_000_000) / 8,
  uploadThroughput: (750 * 1_000) / 8,
};
const PAGES = [
  "overview",
  "playground",
  "keys",
  "connect",
  "usage",
  "logs",
  "wallet",
  "account",
  "channels",
  "routing",
  "models",
  "users",
  "codes",
  "orders",
  "announcements",
  "settings",
  "system",
] as const;

/** One line of the table, printed as soon as it is known. */
function row(measure: string, figure: string, limit: string): void {
  process.stdout.write(`${measure.padEnd(56)}  ${figure.padStart(22)}  ${limit}\n`);
}

const kilobytes = (size: number) => `${size.toFixed(1)} KB`;
const milliseconds = (time: number) => `${Math.round(time)} ms`;

async function median(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    times.push(await measure());
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

async function throttle(page: Page, cpu: number, network?: typeof SLOW_4G): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: cpu });
  if (network !== undefined) {
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", network);
  }
}

/** Runs in a fresh context, so that nothing is cached. */
async function cold<T>(
  browser: Browser,
  prepare: (context: BrowserContext) => Promise<void>,
  run: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    await prepare(context);
    return await run(await context.newPage());
  } finally {
    await context.close();
  }
}

const shown = (page: Page) => expect(page.getByRole("heading", { level: 1 })).toBeVisible();

/** Milliseconds from the start of the navigation until the page's heading is there. */
async function untilHeading(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: "commit" });
  await shown(page);
  return page.evaluate(() => performance.now());
}

/** Largest paint and layout shift, as the browser saw them. */
function vitals(page: Page): Promise<{ largest: number; shift: number }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let largest = 0;
        let shift = 0;
        new PerformanceObserver((list) => {
          largest = list.getEntries().at(-1)?.startTime ?? largest;
        }).observe({ type: "largest-contentful-paint", buffered: true });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            shift += (entry as PerformanceEntry & { value: number }).value;
          }
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve({ largest, shift }), 500);
      }),
  );
}

test("budgets", async ({ browser, gateway, root }) => {
  // Pages that have something to show need more than empty ones.
  const { key } = await makeKey(gateway, root);
  await (await callModel(gateway, key)).text();
  const nobody = async () => undefined;
  const asRoot = (context: BrowserContext) => signedIn(context, gateway, root);
  const home = `${gateway.address}/`;
  const at = (name: string) => `${gateway.address}/console/${name}`;

  const homeSize = await cold(browser, nobody, (page) =>
    fetchedBy(page, async () => void (await page.goto(home, { waitUntil: "networkidle" }))),
  );
  row(
    "Home script / total",
    `${kilobytes(homeSize.script)} / ${kilobytes(homeSize.script + homeSize.style)}`,
    "15 / 60 KB",
  );
  const shell = await cold(browser, nobody, (page) =>
    fetchedBy(page, async () => {
      await page.goto(`${gateway.address}/login`, { waitUntil: "networkidle" });
    }),
  );
  row(
    "Shell with the sign-in page, script / style",
    `${kilobytes(shell.script)} / ${kilobytes(shell.style)}`,
    "260 / 45 KB",
  );
  let foreign = homeSize.foreign.length + shell.foreign.length;
  for (const name of PAGES) {
    const size = await cold(browser, asRoot, (page) =>
      fetchedBy(page, async () => {
        await page.goto(at(name));
        await shown(page);
        await page.waitForLoadState("networkidle", { timeout: 5_000 }).catch(() => undefined);
      }),
    );
    foreign += size.foreign.length;
    row(
      `/console/${name}, all script`,
      kilobytes(size.script),
      name === "usage" ? "400 KB" : "350 KB",
    );
    if (size.languages.length !== 1) {
      row(`/console/${name}, language files`, size.languages.join(", "), "1");
    }
  }
  row("Largest language file", kilobytes(largestLanguage()), "30 KB");
  row("Embedded console, brotli", `${embeddedMegabytes().toFixed(2)} MB`, "2.5 MB");
  row("Requests to other origins", String(foreign), "0");

  const paint = await median(() =>
    cold(browser, nobody, async (page) => {
      await throttle(page, 4);
      await page.goto(home, { waitUntil: "load" });
      return page.evaluate(
        () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
      );
    }),
  );
  const interactive = await median(() =>
    cold(browser, nobody, async (page) => {
      await throttle(page, 4);
      await page.goto(home);
      await expect(page.getByRole("button", { name: "Copy" }).first()).toBeVisible();
      return page.evaluate(() => performance.now());
    }),
  );
  row(
    "Home: first paint / interactive, 4×",
    `${milliseconds(paint)} / ${milliseconds(interactive)}`,
    "200 / 400 ms",
  );

  for (const [cpu, limit] of [
    [1, "600 ms"],
    [4, "1800 ms"],
  ] as const) {
    const time = await median(() =>
      cold(browser, asRoot, async (page) => {
        await throttle(page, cpu);
        return untilHeading(page, at("overview"));
      }),
    );
    row(`Console cold to interactive, ${cpu}×`, milliseconds(time), limit);
  }
  const change = await cold(browser, asRoot, async (page) => {
    await throttle(page, 4);
    await page.goto(at("overview"));
    await shown(page);
    const go = async (name: string) => {
      const before = await page.evaluate(() => performance.now());
      const navigation = page.getByRole("navigation", { name: "Navigation" });
      await navigation.getByRole("link", { name, exact: true }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
      return (await page.evaluate(() => performance.now())) - before;
    };
    await go("API keys");
    await go("Overview");
    return median(async () => {
      const time = await go("API keys");
      await go("Overview");
      return time;
    });
  });
  row("Route change, warm, 4× (with the driver's own time)", milliseconds(change), "150 ms");
  const largest = await median(() =>
    cold(browser, asRoot, async (page) => {
      await throttle(page, 4, SLOW_4G);
      await page.goto(at("playground"));
      await shown(page);
      return (await vitals(page)).largest;
    }),
  );
  row("Largest paint, playground, 4× and slow 4G", milliseconds(largest), "3500 ms");
  const shift = await cold(browser, asRoot, async (page) => {
    let worst = 0;
    for (const name of PAGES) {
      await page.goto(at(name));
      await shown(page);
      worst = Math.max(worst, (await vitals(page)).shift);
    }
    return worst;
  });
  row("Layout shift, worst page", shift.toFixed(3), "0.05");
});
