// A small installation with some life in it: channels of several kinds, keys, users, calls, codes.

import { expect } from "@playwright/test";
import {
  type Account,
  addBalance,
  callModel,
  makeChannel,
  makeKey,
  makeUser,
  manage,
} from "../e2e/support/accounts";
import type { Gateway } from "../e2e/support/gateway";

const MODELS = ["demo-chat", "demo-reasoning"] as const;
const CALLS = 36;

/** Waits for the incident that the failing calls open. */
async function incident(gateway: Gateway, root: Account): Promise<void> {
  const open = () =>
    manage<{ items: unknown[] }>(gateway, root, "GET", "/api/incident/?state=open");
  await expect
    .poll(async () => (await open()).items.length, { timeout: 60_000 })
    .toBeGreaterThan(0);
}

/** Resolves to the id of one of the calls. */
export async function seed(gateway: Gateway, root: Account): Promise<{ requestId: string }> {
  await addBalance(gateway, root, root, 25);
  await makeChannel(gateway, root, { name: "openai-main", priority: 10, weight: 3 });
  await makeChannel(gateway, root, { name: "openai-backup", priority: 10, tags: ["eu"] });
  await makeChannel(gateway, root, { name: "azure-eu", priority: 5, tags: ["eu", "gdpr"] });
  const slow = { name: "local-gpu", priority: 0, faults: { delay_first_byte: 120 } };
  await makeChannel(gateway, root, slow);
  const failing = await makeChannel(gateway, root, {
    name: "anthropic-fallback",
    priority: 5,
    faults: { status: 503 },
  });
  for (const username of ["ana", "bela", "chen", "dora"]) {
    const user = await makeUser(gateway, root, { username, balance: 12 });
    const { key } = await makeKey(gateway, user);
    await (await callModel(gateway, key, "Hello there")).text();
  }
  const app = await makeKey(gateway, root, { name: "Support assistant" });
  await makeKey(gateway, root, { name: "Nightly report", budget_daily_usd: "2.50" });
  let requestId = "";
  for (let call = 0; call < CALLS; call += 1) {
    const model = MODELS[call % MODELS.length] ?? "demo-chat";
    const answer = await callModel(gateway, app.key, `Summarise ticket ${4_100 + call}`, { model });
    requestId = answer.headers.get("x-request-id") ?? requestId;
    await answer.text();
  }
  // Enough for a rule to notice.
  for (let call = 0; call < 6; call += 1) {
    await (await callModel(gateway, app.key, "Hello", { model: failing.model })).text();
  }
  await incident(gateway, root);
  await manage(gateway, root, "POST", "/api/notice/", {
    title: "Maintenance on Sunday",
    body: "Calls may take longer between 02:00 and 03:00 UTC.",
    level: "notice",
    audience: "everyone",
  });
  await manage(gateway, root, "POST", "/api/redemption/", {
    name: "Welcome",
    quota: 2_500_000,
    count: 6,
  });
  return { requestId };
}
