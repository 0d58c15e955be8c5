// What every journey stands on: its worker's gateway, set up with a root user and the demo channel, and
// a watch that fails the journey on a console error, an exception or a request to another origin.

import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { type Account, confirm, makeUser, setUp } from "./accounts";
import { type Gateway, startGateway } from "./gateway";

/** Collects what must not happen while a page is open. */
export class Watch {
  readonly #problems: string[] = [];
  readonly #expected: RegExp[] = [];
  readonly #hosts: readonly string[];

  constructor(gateway: Pick<Gateway, "port">) {
    const names = ["127.0.0.1", "localhost", "gateway.test"];
    this.#hosts = names.map((name) => `${name}:${gateway.port}`);
  }

  /** Watches one more page. */
  follow(page: Page): void {
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") {
        this.#problems.push(`console ${message.type()}: ${message.text()}`);
      }
    });
    page.on("pageerror", (error) => this.#problems.push(`exception: ${error.message}`));
    page.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      // What the page itself made and holds in memory asks nobody.
      if (protocol !== "blob:" && protocol !== "data:" && !this.#hosts.includes(host)) {
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

/** Gives the browser somebody's session. */
export async function signedIn(
  context: BrowserContext,
  gateway: Pick<Gateway, "address">,
  account: Pick<Account, "cookie">,
): Promise<void> {
  const cookies = account.cookie.split("; ").map((pair) => {
    const at = pair.indexOf("=");
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url: gateway.address };
  });
  await context.addCookies(cookies);
}

interface TestFixtures {
  watch: Watch;
  /** A page in which root is signed in. */
  rootPage: Page;
  /** A user of this journey alone, with 10 dollars. */
  user: Account;
  /** A page in which that user is signed in. */
  userPage: Page;
}

interface WorkerFixtures {
  gateway: Gateway;
  root: Account;
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
  root: [
    async ({ gateway }, use) => {
      await use(await setUp(gateway));
    },
    // The gateway of every journey is set up, whether it asks for root or not.
    { scope: "worker", auto: true },
  ],
  baseURL: async ({ gateway }, use) => {
    await use(gateway.address);
  },
  watch: [
    async ({ page, gateway }, use) => {
      const watch = new Watch(gateway);
      watch.follow(page);
      await use(watch);
      expect(watch.problems()).toEqual([]);
    },
    { auto: true },
  ],
  rootPage: async ({ page, context, gateway, root }, use) => {
    await confirm(gateway, root);
    await signedIn(context, gateway, root);
    await use(page);
  },
  user: async ({ gateway, root }, use) => {
    await use(await makeUser(gateway, root));
  },
  userPage: async ({ page, context, gateway, user }, use) => {
    await signedIn(context, gateway, user);
    await use(page);
  },
});

export { expect };
