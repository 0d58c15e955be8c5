// Coming from another gateway: dry run, import, what it left out, and the way back.

import { manage, unique } from "./support/accounts";
import { expect, test } from "./support/test";

/** A configuration with one channel that can be carried over. */
const config = (model: string) => `
model_list:
  - model_name: ${model}
    litellm_params:
      model: openai/gpt-4o-mini
      api_key: sk-of-the-upstream
`;

test("43 · an import is tried out first, its report equals what it does, and it is undone", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const model = unique("moved");
  const source = unique("old");
  const serving = async () => {
    const path = `/api/channel/?model=${model}`;
    return (await manage<{ total: number }>(gateway, root, "GET", path)).total;
  };
  await page.goto("/console/settings/general");
  await page.getByRole("link", { name: "Import" }).click();
  await page.getByText("LiteLLM", { exact: true }).click();
  const buffer = Buffer.from(config(model));
  const file = { name: "config.yaml", mimeType: "application/yaml", buffer };
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByLabel("Name of the source").fill(source);
  await page.getByRole("button", { name: "Dry run" }).click();

  const channels = page.getByRole("row", { name: /^Channels/ });
  await expect(page.getByRole("region", { name: "What would happen" })).toBeVisible();
  await expect(channels).toHaveText(/^Channels1100$/);
  expect(await serving()).toBe(0);

  await page.getByRole("button", { name: "Import now" }).click();
  await expect(page.getByRole("region", { name: "Report" })).toBeVisible();
  await expect(channels).toHaveText(/^Channels1100$/);
  expect(await serving()).toBe(1);

  const line = page.getByRole("row").filter({ hasText: source });
  await line.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill(source);
  await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
  await expect(line).toContainText("Undone");
  expect(await serving()).toBe(0);
});
