// The list of long work: what it has found is one click away, whatever found it.

import { makeChannel, manage, unique } from "./support/accounts";
import { expect, test } from "./support/test";

test("tasks lead to what they found and say how they ended", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const name = unique("found");
  const good = await makeChannel(gateway, root, { name });
  const bad = await makeChannel(gateway, root, {
    name: `${name}-bad`,
    models: [`${good.model}=demo-chat`],
    faults: { status: 503 },
  });
  const channel_ids = [good.id, bad.id];
  const begin = (path: string, body: object) =>
    manage<{ task_id: string }>(gateway, root, "POST", path, body);
  const { task_id } = await begin("/api/channel/test_matrix", {
    channel_ids,
    models: [good.model],
  });
  await begin("/api/channel/batch", {
    ids: channel_ids,
    action: "tag",
    tag: name,
    as_task: true,
  });

  await page.goto("/console/tasks");
  const rows = page.getByRole("row");
  const row = (text: string) => rows.filter({ hasText: text }).first();
  await expect(row("Change of channels")).toContainText("All were changed.");
  await expect(row("Change of channels")).toContainText("2 of 2");
  await expect(row("Tests of channels")).toContainText("1 of 2 failed.");
  await row("Tests of channels").getByRole("link", { name: "Tests of channels" }).click();
  await expect(page).toHaveURL(new RegExp(`/channels/matrix\\?task=${task_id}`));
  const matrix = page.getByRole("table");
  const cell = (channel: string) =>
    matrix
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name: channel, exact: true }) });
  await expect(cell(good.name)).toContainText(/\d+ ms/);
  await expect(cell(bad.name).getByRole("button", { name: /^failed: overloaded/ })).toBeVisible();

  // Back in the list, a filter without a match says so. Nothing runs any more; other journeys may have cancelled something.
  await page.goto("/console/tasks?state=running");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(row("Tests of channels")).toBeVisible();
});
