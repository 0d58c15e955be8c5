// What every journey stands on: its worker's gateway, and a watch that fails the journey on a console
// error, an uncaught exception or a request to another origin.

import { test as base, expect, type Page } from "@playwright/test";
import { type Gateway, startGateway } from "./gateway";

/** Collects what must not happen while a page is open. */
class Watch {
  readonly #problems: string[] = [];
  readonly #expected: RegExp[] = [];

  constructor(page: Page, hosts: readonly string[]) {
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") {
        this.#problems.push(`console ${message.type()}: ${message.text()}`);
      }
    });
    page.on("pageerror", (error) => this.#problems.push(`exception: ${error.message}`));
    page.on("request", (request) => {
      if (!hosts.includes(new URL(request.url()).host)) {
        this.#problems.push(`foreign request: ${request.url()}`);
      }
    });
  }

  /** Names a problem that the journey causes on purpose. */
  expectProblem(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  /** What happened and was not announced. */
  problems(): string[] {
    return this.#problems.filter((problem) => !this.#expected.some((each) => each.test(problem)));
  }
}

interface TestFixtures {
  watch: Watch;
}

interface WorkerFixtures {
  gateway: Gateway;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  gateway: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from a pattern.
    async ({}, use) => {
      const gateway = await startGateway();
      await use(gateway);
      await gateway.stop();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ gateway }, use) => {
    await use(gateway.address);
  },
  watch: [
    async ({ page, gateway }, use) => {
      const watch = new Watch(page, [`127.0.0.1:${gateway.port}`, `gateway.test:${gateway.port}`]);
      await use(watch);
      expect(watch.problems()).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
