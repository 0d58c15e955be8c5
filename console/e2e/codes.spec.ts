import { readFile } from "node:fs/promises";
import { unique } from "./support/accounts";
import { expect, test } from "./support/test";

test("a batch of codes is shown once and saved as a file; a code is switched off with undo", async ({
  rootPage: page,
}) => {
  const name = unique("spring");
  await page.goto("/console/codes?open=new");
  const drawer = page.getByRole("dialog");
  await drawer.getByLabel("Batch").fill(name);
  await drawer.getByLabel("Worth").fill("2.50");
  await drawer.getByLabel("How many").fill("3");
  await drawer.getByRole("button", { name: "Make codes" }).click();
  await expect(drawer.getByText("3 codes, worth $2.50 each.")).toBeVisible();
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    drawer.getByRole("button", { name: "Save as CSV" }).click(),
  ]);
  const lines = (await readFile(await saved.path(), "utf8")).trim().split("\r\n");
  expect(lines).toHaveLength(4);
  const code = lines[1]?.split(",")[0] ?? "";
  await drawer.getByRole("button", { name: "I saved them" }).click();
  await page.goto(`/console/codes?name=${name}`);
  await expect(page.getByRole("row")).toHaveCount(4);
  await expect(page.getByText(code)).toHaveCount(0);

  await page
    .getByRole("button", { name: /^Switch off code/ })
    .first()
    .click();
  await expect(page.getByRole("row").nth(1)).toContainText("Switched off");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("row").nth(1)).toContainText("Active");
});
