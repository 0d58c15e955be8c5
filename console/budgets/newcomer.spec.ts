// The newcomer's path, step by step with its seconds: from the start of the binary on an empty folder to
// the first charged call seen in the log. Prints; nothing is asserted beyond that each step can be done.

import { startGateway } from "../e2e/support/gateway";
import { expect, test } from "../e2e/support/test";

const PASSWORD = "a long enough password";

test("newcomer", async ({ browser }) => {
  const began = performance.now();
  let last = began;
  let inputs = 0;
  const step = (name: string) => {
    const now = performance.now();
    const seconds = ((now - last) / 1_000).toFixed(1);
    process.stdout.write(`${name.padEnd(56)}  ${seconds.padStart(6)} s\n`);
    last = now;
  };
  const gateway = await startGateway();
  step("The binary starts on an empty folder and prints its link");
  const context = await browser.newContext({ baseURL: gateway.address, locale: "en-US" });
  try {
    const page = await context.newPage();
    const press = async (name: string) => {
      await page.getByRole("button", { name, exact: true }).click();
      inputs += 1;
    };
    await page.goto(`/setup?code=${gateway.setupCode}`);
    await expect(page.getByRole("textbox", { name: "User name" })).toBeVisible();
    step("The link opens");
    await page.getByRole("textbox", { name: "User name" }).fill("ana");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    inputs += 2;
    await press("Continue");
    await page.getByRole("radio", { name: "My team" }).click();
    inputs += 1;
    await press("Continue");
    step("Who and what for");
    await press("Continue");
    await expect(page.getByRole("heading", { name: "Does it answer?" })).toBeVisible();
    const next = page.getByRole("button", { name: "Continue", exact: true });
    await expect(next).toBeEnabled();
    step("The demo channel is made and tested");
    await press("Continue");
    await expect(page.getByText("Waiting for your first call…")).toBeVisible();
    step("The first key is made");
    await press("Run from here");
    const line = page.getByRole("region", { name: "Log line of the first call" });
    await expect(line.getByText(/^\$0\.\d*[1-9]\d*$/)).toBeVisible();
    step("The first call is charged and seen in the log");
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    process.stdout.write(
      `${`All, by a script, with ${inputs} inputs`.padEnd(56)}  ${seconds.padStart(6)} s\n`,
    );
  } finally {
    await context.close();
    await gateway.stop();
  }
});
