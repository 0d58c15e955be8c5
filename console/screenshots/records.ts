// What administrators and the wallet leave behind: orders, deliveries, codes, tasks, announcements, an import.

import { type Account, logIn, manage, unique } from "../e2e/support/accounts";
import type { Gateway } from "../e2e/support/gateway";
import { deliver, type PaidOrder, paidEvent } from "../e2e/support/webhook";

const DAY_MS = 86_400_000;

async function makeOrders(gateway: Gateway, root: Account): Promise<void> {
  const people = [root, await logIn(gateway, "bela"), await logIn(gateway, "chen")];
  for (const [place, person] of people.entries()) {
    const order = async (amount: string) => {
      const body = { amount, provider: "sandbox" };
      const { order_id } = await manage<PaidOrder>(gateway, person, "POST", "/api/topup/", body);
      return manage<PaidOrder>(gateway, person, "GET", `/api/topup/${order_id}`);
    };
    const paid = await order(String(20 + 30 * place));
    await deliver(gateway, paidEvent(paid, unique("evt")));
    await order("10");
    await deliver(gateway, paidEvent(paid, unique("evt")), place === 1 ? "wrong" : undefined);
  }
}

async function makeCodes(gateway: Gateway, root: Account): Promise<void> {
  const make = (body: Record<string, unknown>) =>
    manage<{ codes: string[] }>(gateway, root, "POST", "/api/redemption/", body);
  const { codes } = await make({ name: "Welcome", quota: 2_500_000, count: 6 });
  const expires_at = new Date(Date.now() + 30 * DAY_MS).toISOString();
  await make({ name: "Conference", quota: 5_000_000, count: 4, expires_at });
  await manage(gateway, root, "POST", "/api/redemption/redeem", { code: codes[0] });
}

async function makeTasks(gateway: Gateway, root: Account): Promise<void> {
  const { items } = await manage<{ items: { id: number; state: string }[] }>(
    gateway,
    root,
    "GET",
    "/api/channel/?p=1&page_size=25",
  );
  const channel_ids = items.filter(({ state }) => state === "on").map(({ id }) => id);
  const models = ["gpt-5", "gpt-5-mini", "claude-sonnet-4-5", "llama-3.3-70b"];
  await manage(gateway, root, "POST", "/api/channel/test_matrix", { channel_ids, models });
  const tag = { ids: channel_ids, action: "tag", tag: "production", as_task: true };
  await manage(gateway, root, "POST", "/api/channel/batch", tag);
}

async function makeNotices(gateway: Gateway, root: Account): Promise<void> {
  await manage(gateway, root, "POST", "/api/notice/", {
    title: "Maintenance on Sunday",
    body: "Calls may take longer between 02:00 and 03:00 UTC.",
    level: "notice",
    audience: "everyone",
  });
  await manage(gateway, root, "POST", "/api/notice/", {
    title: "New prices next month",
    body: "See **Models and prices**.",
    audience: "users",
    starts_at: new Date(Date.now() + 7 * DAY_MS).toISOString(),
  });
}

async function makeImport(gateway: Gateway, root: Account): Promise<void> {
  const answer = await fetch(`${gateway.address}/api/import/?kind=litellm`, {
    method: "POST",
    headers: { cookie: root.cookie, "content-type": "application/yaml" },
    body: "model_list:\n  - model_name: helper\n    litellm_params:\n      model: openai/gpt-5\n      api_key: sk-not-real\n",
  });
  if (!answer.ok) {
    throw new Error(`the import was refused: ${await answer.text()}`);
  }
}

export async function makeRecords(gateway: Gateway, root: Account): Promise<void> {
  await makeOrders(gateway, root);
  await makeCodes(gateway, root);
  await makeTasks(gateway, root);
  await makeNotices(gateway, root);
  await makeImport(gateway, root);
}
