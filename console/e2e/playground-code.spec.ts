// Journey of the code panel: what it prints is run, in three languages and four dialects. The libraries
// are those of the repository's own tests of vendors' SDKs.

import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeKey } from "./support/accounts";
import { openPlayground, send, settledReply, shownCode } from "./support/playground";
import { expect, test } from "./support/test";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Twelve programs take a while, and installing their libraries more, the first time. */
const RUN_MS = 240_000;

/** The Python interpreter and the folder from which Node.js finds the libraries. */
async function environments(): Promise<{ python: string; folder: string }> {
  const { stdout } = await run("scripts/python-env", { cwd: ROOT });
  await run("scripts/node-packages", ["tests/node"], { cwd: ROOT });
  const folder = join(ROOT, "tests/node/node_modules/.modelgate-playground");
  await mkdir(folder, { recursive: true });
  return { python: stdout.trim(), folder };
}

const STYLES = ["OpenAI", "Responses", "Anthropic", "Gemini"];

test("15 · the printed cURL, Python and TypeScript make the same call in four dialects", async ({
  userPage: page,
  user,
  gateway,
}, info) => {
  test.setTimeout(RUN_MS);
  const { python, folder } = await environments();
  const { key } = await makeKey(gateway, user);
  const env = { ...process.env, MODELGATE_API_KEY: key };
  await openPlayground(page, { model: "demo-chat", system: "Be brief.", whole: true });
  await send(page, "it's the same");
  const reply = await settledReply(page);
  const said = "Hello from demo-chat. You said: it's the same";
  await expect(reply).toContainText(said);

  const programs: Promise<string>[] = [];
  for (const [index, style] of STYLES.entries()) {
    const shell = await shownCode(page, "cURL", style);
    programs.push(run("sh", ["-c", shell], { env }).then(({ stdout }) => stdout));
    const script = info.outputPath(`program-${index}.py`);
    await writeFile(script, await shownCode(page, "Python"));
    programs.push(run(python, [script], { env }).then(({ stdout }) => stdout));
    const module = join(folder, `program-${process.pid}-${index}.mjs`);
    await writeFile(module, await shownCode(page, "TypeScript"));
    programs.push(run("node", [module], { env }).then(({ stdout }) => stdout));
  }
  for (const output of await Promise.all(programs)) {
    expect(output).toContain(said);
  }
  await rm(folder, { recursive: true, force: true });

  // A key that is made here stands in the code at once.
  await page.getByRole("button", { name: "Make a key and insert it" }).click();
  await expect(page.getByText("It is shown only now")).toBeVisible();
  const withKey = await shownCode(page, "cURL", "OpenAI");
  expect(withKey).toMatch(/Authorization: Bearer sk-/);
  expect((await run("sh", ["-c", withKey])).stdout).toContain(said);
});
