// Connect: from a tool to its first call.

import { callModel } from "./support/accounts";
import { expect, test } from "./support/test";

const TOOLS = [
  { tool: "Claude Code", line: "ANTHROPIC_BASE_URL", endpoint: "/v1/messages" },
  { tool: "Codex CLI", line: 'wire_api = "responses"', endpoint: "/v1/responses" },
  { tool: "Gemini CLI", line: "GOOGLE_GEMINI_BASE_URL", endpoint: ":generateContent" },
];

test("27 · recipes of three agents pass their test, and the first call appears", async ({
  userPage: page,
  gateway,
}) => {
  await page.goto("/console/connect?model=demo-chat");
  await page.getByRole("button", { name: "Make a key" }).click();
  await expect(page.getByText("Shown only this once")).toBeVisible();
  const secret = (await page.getByRole("alert").locator("code").textContent()) ?? "";
  const live = page.getByRole("status", { name: "First call" });
  await expect(live).toContainText("Waiting for the first call with this key");
  const tools = page.getByRole("radiogroup", { name: "Tool" });
  for (const { tool, line, endpoint } of TOOLS) {
    await tools.getByText(tool, { exact: true }).click();
    const lines = page.getByRole("region", { name: `3 · Set up ${tool}` });
    await expect(lines).toContainText(line);
    await expect(lines).toContainText(gateway.address);
    const call = page.waitForRequest((request) => request.url().includes("/v1"));
    await page.getByRole("button", { name: "Test this" }).click();
    const request = await call;
    expect(request.url()).toContain(endpoint);
    expect(request.headers().authorization).toBe(`Bearer ${secret}`);
    await expect(page.getByText(/^Passed in/)).toBeVisible();
  }
  await expect(live).toContainText("Call arrived: demo-chat");
  expect((await callModel(gateway, secret, "Hello", { model: "nothing-like-this" })).status).toBe(
    404,
  );
  await expect(live).toContainText("Call arrived and failed with 404");
  await live.getByRole("link", { name: "Open log" }).click();
  await expect(page.getByText("model_not_found").first()).toBeVisible();
});

test("a stored key has no secret: the test says which key it used instead", async ({
  userPage: page,
  watch,
}) => {
  watch.expectProblem(/401/);
  await page.goto("/console/connect?tool=openai-python&model=demo-chat");
  await expect(
    page.getByText("with a 15-minute key of your session", { exact: false }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Test this" }).click();
  await expect(page.getByText(/^Passed in/)).toBeVisible();
  await page.getByLabel("Paste the key (optional)").fill("mg-wrong");
  await page.getByRole("button", { name: "Test this" }).click();
  await expect(page.getByText("Failed: 401")).toBeVisible();
});
