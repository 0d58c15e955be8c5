// Channels, prices, people and their calls: models of well-known names, all answered by the demo provider.

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

/** What each model costs, in dollars for a million tokens. */
const PRICES = {
  "gpt-5": { input: "1.25", output: "10" },
  "gpt-5-mini": { input: "0.25", output: "2" },
  "claude-sonnet-4-5": { input: "3", output: "15" },
  "llama-3.3-70b": { input: "0.6", output: "0.6" },
} as const;

const MODELS = Object.keys(PRICES);
const PEOPLE = ["ana", "bela", "chen", "dora", "emre", "fatima"] as const;
const SENTENCE = "The customer writes that the export stops after the first page. ";
const CALLS = 48;

const served = (...models: string[]) => models.map((model) => `${model}=demo-chat`);

/** The channel that fails, with the model that nobody else serves. */
async function makeChannels(gateway: Gateway, root: Account): Promise<string> {
  const gpt = served("gpt-5", "gpt-5-mini");
  const make = (settings: Record<string, unknown>) => makeChannel(gateway, root, settings);
  await make({ name: "openai-main", models: gpt, priority: 10, weight: 3 });
  await make({ name: "openai-backup", models: gpt, priority: 10, tags: ["eu"] });
  await make({ name: "azure-eu", models: gpt, priority: 5, tags: ["eu", "gdpr"] });
  await make({ name: "anthropic-main", models: served("claude-sonnet-4-5"), priority: 10 });
  const slow = { delay_first_byte: 120 };
  await make({ name: "local-gpu", models: served("llama-3.3-70b"), priority: 0, faults: slow });
  const limited = { name: "anthropic-trial", priority: 20, faults: { status: 429 } };
  await make({ ...limited, models: served("claude-sonnet-4-5") });
  const key = "sk-not-a-real-key";
  await make({ name: "openai-batch", type: "openai", key, models: ["gpt-5"], state: "off" });
  const { model } = await make({ name: "mistral-preview", priority: 5, faults: { status: 503 } });
  return model;
}

async function makePeople(gateway: Gateway, root: Account): Promise<string[]> {
  await manage(gateway, root, "POST", "/api/group/", {
    name: "partners",
    description: "Companies with a contract",
    multiplier: "0.8",
    rpm: 600,
  });
  const keys: string[] = [];
  for (const [place, username] of PEOPLE.entries()) {
    const role = place === 0 ? 10 : 1;
    const user = await makeUser(gateway, root, { username, balance: 20 + 15 * place, role });
    const group = place % 3 === 2 ? "partners" : "default";
    const email = `${username}@example.com`;
    await manage(gateway, root, "PUT", "/api/user/", { id: user.id, group, email });
    keys.push((await makeKey(gateway, user, { name: `${username}'s notebook` })).key);
  }
  return keys;
}

async function makeRootKeys(gateway: Gateway, root: Account): Promise<{ id: number; key: string }> {
  await makeKey(gateway, root, { name: "Nightly report", budget_daily_usd: "2.50", rpm: 60 });
  const expires_at = new Date(Date.now() + 3 * 86_400_000).toISOString();
  await makeKey(gateway, root, { name: "Trial of the mobile app", expires_at });
  const paused = await makeKey(gateway, root, { name: "Old website" });
  await manage(gateway, root, "PUT", "/api/token/", { id: paused.id, status: 2 });
  const settings = { name: "Support assistant", budget_monthly_usd: "0.50" };
  return makeKey(gateway, root, settings);
}

/** Everybody calls, root most; resolves to the ids of a call that was tried twice and of root's own key. */
export async function makeTraffic(
  gateway: Gateway,
  root: Account,
): Promise<{ requestId: string; keyId: number }> {
  await addBalance(gateway, root, root, 25);
  for (const [model, prices] of Object.entries(PRICES)) {
    await manage(gateway, root, "POST", "/api/price/", { model, prices });
  }
  const unserved = await makeChannels(gateway, root);
  const { id: keyId, key: own } = await makeRootKeys(gateway, root);
  const others = await makePeople(gateway, root);
  let requestId = "";
  for (let call = 0; call < CALLS; call += 1) {
    const key = call % 3 === 0 ? (others[(call / 3) % others.length] ?? own) : own;
    const model = MODELS[call % MODELS.length] ?? "gpt-5";
    const text = `Summarise ticket ${4_100 + call}. ${SENTENCE.repeat(4 + ((call * 7) % 23))}`;
    const answer = await callModel(gateway, key, text, { model, stream: call % 2 === 0 });
    if (model === "claude-sonnet-4-5") {
      requestId = answer.headers.get("x-request-id") ?? requestId;
    }
    await answer.text();
  }
  // Enough for a rule to notice.
  for (let call = 0; call < 6; call += 1) {
    await (await callModel(gateway, own, "Hello", { model: unserved })).text();
  }
  return { requestId, keyId };
}
