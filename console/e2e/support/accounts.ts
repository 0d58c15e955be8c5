// Records that journeys stand on, made through the management interface as an administrator would:
// users, channels, keys, balance. Every name is new, so that journeys do not meet each other.

import type { Gateway } from "./gateway";

/** What the gateway's root user and every made user sign in with. */
export const PASSWORD = "correct horse battery staple";

/** Somebody who can sign in. */
export interface Account {
  id: number;
  username: string;
  password: string;
  /** The `cookie` header of a session. */
  cookie: string;
}

const VERIFY = "/api/verify";

let made = 0;

/** A name that no other journey of this run has. */
export function unique(prefix: string): string {
  made += 1;
  return `${prefix}-${process.pid.toString(36)}-${made}`;
}

/** A call of the management interface in somebody's name; the envelope's data, or an error. */
export async function manage<T = unknown>(
  gateway: Pick<Gateway, "address">,
  account: Pick<Account, "cookie">,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await fetch(`${gateway.address}${path}`, {
    method,
    headers: { cookie: account.cookie, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  type Envelope = { success: boolean; message: string; code?: string; data: T };
  const envelope = (await answer.json()) as Envelope;
  if (envelope.code === "step_up_required" && path !== VERIFY) {
    await confirm(gateway, account);
    return manage(gateway, account, method, path, body);
  }
  if (!envelope.success) {
    throw new Error(`${method} ${path} answered ${answer.status}: ${envelope.message}`);
  }
  return envelope.data;
}

/** Confirms who somebody is, as sensitive calls take it: the login of a worker's root may be a while ago. */
export async function confirm(
  gateway: Pick<Gateway, "address">,
  account: Pick<Account, "cookie"> & { password?: string },
): Promise<void> {
  await manage(gateway, account, "POST", VERIFY, { password: account.password ?? PASSWORD });
}

/** Sets a fresh gateway up with a root user, the demo channel and the sandbox. */
export async function setUp(gateway: Gateway): Promise<Account> {
  const body = { code: gateway.setupCode, username: "root", password: PASSWORD, demo: true };
  return begin(gateway, "/api/setup", body, "root");
}

/** A new session of somebody. */
export async function logIn(
  gateway: Pick<Gateway, "address">,
  username: string,
  password = PASSWORD,
): Promise<Account> {
  return begin(gateway, "/api/user/login", { username, password }, username, password);
}

async function begin(
  gateway: Pick<Gateway, "address">,
  path: string,
  body: unknown,
  username: string,
  password = PASSWORD,
): Promise<Account> {
  const answer = await fetch(`${gateway.address}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const cookie = answer.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
  const { data, message } = (await answer.json()) as { data?: { id: number }; message: string };
  if (!answer.ok || data === undefined) {
    throw new Error(`${path} answered ${answer.status}: ${message}`);
  }
  return { id: data.id, username, password, cookie: cookie.join("; ") };
}

export interface NewUser {
  /** 1 user, 10 administrator. */
  role?: number;
  /** Dollars in the wallet. */
  balance?: number;
  username?: string;
}

const QUOTA_PER_DOLLAR = 500_000;

/** A new user with a session of its own and 10 dollars. */
export async function makeUser(
  gateway: Gateway,
  root: Account,
  { role = 1, balance = 10, username = unique("user") }: NewUser = {},
): Promise<Account> {
  await manage(gateway, root, "POST", "/api/user/", {
    username,
    password: PASSWORD,
    role,
    quota: balance * QUOTA_PER_DOLLAR,
  });
  return logIn(gateway, username);
}

/** Adds dollars to a user's wallet (or takes some). */
export async function addBalance(
  gateway: Gateway,
  root: Account,
  user: Pick<Account, "id">,
  dollars: number,
): Promise<void> {
  await manage(gateway, root, "POST", "/api/user/manage", {
    id: user.id,
    action: "add_quota",
    value: dollars * QUOTA_PER_DOLLAR,
  });
}

/** Switches of the demo provider, see docs/demo-channel.md. */
export type Faults = Readonly<Record<string, number | boolean>>;

/** A channel on the demo provider that serves models of its own name, with fault switches. */
export async function makeChannel(
  gateway: Gateway,
  root: Account,
  {
    name = unique("channel"),
    faults = {},
    ...more
  }: { name?: string; faults?: Faults } & Record<string, unknown> = {},
): Promise<{ id: number; name: string; model: string }> {
  const model = `${name}-chat`;
  const { id } = await manage<{ id: number }>(gateway, root, "POST", "/api/channel/", {
    name,
    type: "demo",
    models: [`${model}=demo-chat`],
    overrides: { demo: faults },
    ...more,
  });
  return { id, name, model };
}

/** A new API key of the account; `key` is the secret. */
export async function makeKey(
  gateway: Gateway,
  account: Account,
  settings: Record<string, unknown> = {},
): Promise<{ id: number; name: string; key: string }> {
  const name = unique("key");
  return manage(gateway, account, "POST", "/api/token/", { name, ...settings });
}

/** A chat call through the gateway; resolves to the answer, whatever its status. */
export async function callModel(
  gateway: Pick<Gateway, "address">,
  key: string,
  text = "Hello",
  {
    model = "demo-chat",
    headers = {},
    ...more
  }: Record<string, unknown> & {
    model?: string;
    headers?: Record<string, string>;
  } = {},
): Promise<Response> {
  return fetch(`${gateway.address}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: text }], ...more }),
  });
}
