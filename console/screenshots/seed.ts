// A small installation with some life in it.

import { expect } from "@playwright/test";
import { type Account, manage } from "../e2e/support/accounts";
import type { Gateway } from "../e2e/support/gateway";
import { makeRecords } from "./records";
import { makeTraffic } from "./traffic";

/** Waits for what the calls and acts set off: an incident, and the end of the tasks. */
async function settled(gateway: Gateway, root: Account): Promise<void> {
  const list = (path: string) => manage<{ items: unknown[] }>(gateway, root, "GET", path);
  const count = async (path: string) => (await list(path)).items.length;
  const limit = { timeout: 60_000 };
  await expect.poll(() => count("/api/incident/?state=open"), limit).toBeGreaterThan(0);
  await expect.poll(() => count("/api/task/?state=running"), limit).toBe(0);
}

/** Resolves to the ids of one of the calls and of the key that made it. */
export async function seed(gateway: Gateway, root: Account): ReturnType<typeof makeTraffic> {
  const made = await makeTraffic(gateway, root);
  await makeRecords(gateway, root);
  await settled(gateway, root);
  return made;
}
