// What the accessibility sweep opens. Each feature lists its views in a file of its own below
// e2e/sweep (default export); no list names those files.

import { readdirSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { Account } from "./accounts";
import type { Gateway } from "./gateway";
import type { Watch } from "./test";

/** What a view may use to bring itself about. */
export interface Scene {
  gateway: Gateway;
  root: Account;
  watch: Watch;
}

/** One page in one state. */
export interface View {
  name: string;
  /** Who looks: nobody is signed in unless this says so. */
  as?: "root" | "user";
  /** Resolves once the state has settled. */
  open: (page: Page, scene: Scene) => Promise<void>;
}

const FOLDER = new URL("../sweep/", import.meta.url);

/** The views of all features, by feature. */
export async function allViews(): Promise<{ feature: string; views: readonly View[] }[]> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ts"));
  return Promise.all(
    files.sort().map(async (name) => ({
      feature: name.replace(/\.ts$/, ""),
      views: ((await import(new URL(name, FOLDER).href)) as { default: readonly View[] }).default,
    })),
  );
}
