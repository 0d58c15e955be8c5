// The real binary on a free loopback port with an empty data folder, one for each worker.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 5_000;
const POLL_MS = 50;

/** Signs events of the sandbox payment provider. */
export const SANDBOX_SECRET = "sandbox-secret-of-the-journeys";

export interface Gateway {
  /** `http://127.0.0.1:<port>` without a trailing slash. */
  address: string;
  port: number;
  /** The code of the setup link that it printed. */
  setupCode: string;
  /** Ends the process and removes its data. */
  stop: () => Promise<void>;
}

/**
 * Starts `modelgate serve` and resolves once it is ready for calls; `settings` are `SECTION__KEY`,
 * `config` is for what only a file can say.
 */
export async function startGateway(
  settings: Record<string, string> = {},
  config = "",
): Promise<Gateway> {
  const data = await mkdtemp(join(tmpdir(), "modelgate-e2e-"));
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const file = join(data, "modelgate.toml");
  await writeFile(file, config);
  const flags = ["--config", file, "--data", data, "--listen", `127.0.0.1:${port}`];
  const child = spawn(binary(), ["serve", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: environment({
      PAYMENTS__SANDBOX__WEBHOOK_SECRET: SANDBOX_SECRET,
      // Links are mailed only where it is told where they lead.
      ...("MAIL__HOST" in settings ? { SERVER__PUBLIC_URL: address } : {}),
      ...settings,
    }),
  });
  const output: string[] = [];
  child.stdout.on("data", (text) => output.push(String(text)));
  child.stderr.on("data", (text) => output.push(String(text)));
  const stop = async () => {
    await end(child);
    await rm(data, { recursive: true, force: true });
  };
  try {
    await untilReady(address, child);
    const setupCode = await printedCode(output);
    return { address, port, setupCode, stop };
  } catch (cause) {
    await stop();
    throw new Error(`modelgate did not become ready:\n${output.join("")}`, { cause });
  }
}

/** `Open http://…/setup?code=7K2F-9QXD`, as it stands in the output. */
async function printedCode(output: readonly string[]): Promise<string> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline) {
    const code = /\/setup\?code=([\w-]+)/.exec(output.join(""))?.[1];
    if (code !== undefined) {
      return code;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error("no setup link was printed");
}

function binary(): string {
  const path =
    process.env.MODELGATE_BINARY ??
    fileURLToPath(new URL("../../../target/debug/modelgate", import.meta.url));
  if (!existsSync(path)) {
    throw new Error(`${path} does not exist: run "cargo build -p server" or set MODELGATE_BINARY`);
  }
  return path;
}

/** Without the settings of whoever runs the tests: only defaults and what is given here count. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith("MODELGATE_"));
  const own = Object.entries(settings).map(([name, value]) => [`MODELGATE_${name}`, value]);
  return Object.fromEntries([...entries, ...own]);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const bound = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (bound === null || typeof bound === "string") {
    throw new Error("the system gave no port");
  }
  return bound.port;
}

async function untilReady(address: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) {
      throw new Error(`the process ended with code ${child.exitCode}`);
    }
    const answer = await fetch(`${address}/readyz`).catch(() => undefined);
    if (answer?.ok === true) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`no answer within ${START_LIMIT_MS} ms`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) {
    return;
  }
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
  await ended;
  clearTimeout(force);
}
