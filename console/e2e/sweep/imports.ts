import { expect } from "@playwright/test";
import { unique } from "../support/accounts";
import type { View } from "../support/views";

const views: readonly View[] = [
  {
    name: "a dry run's report",
    as: "root",
    open: async (page) => {
      await page.goto("/console/settings/import");
      await page.getByText("LiteLLM", { exact: true }).click();
      const buffer = Buffer.from(
        `model_list:\n  - model_name: ${unique("sweep")}\n    litellm_params:\n      model: odd/x\n`,
      );
      const file = { name: "config.yaml", mimeType: "application/yaml", buffer };
      await page.locator('input[type="file"]').setInputFiles(file);
      await page.getByRole("button", { name: "Dry run" }).click();
      await expect(page.getByRole("region", { name: "What would happen" })).toBeVisible();
    },
  },
];

export default views;
