import { sidewaysScroll } from "./support/accessibility";
import { makeKey, makeUser, manage, unique } from "./support/accounts";
import { expect, signedIn, test } from "./support/test";

test("42 · an administrator edits, credits and disables a user, and the audit shows each field", async ({
  rootPage: page,
  gateway,
  root,
  user,
}) => {
  const key = await makeKey(gateway, user);
  await page.goto("/console/users");
  await page.getByRole("searchbox", { name: "Name or e-mail address" }).fill(user.username);
  await expect(page).toHaveURL(new RegExp(`search=${user.username}`));
  await page.getByRole("link", { name: user.username, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(user.username);

  await page.getByLabel("Note").fill("Pays by invoice");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Saved.")).toBeVisible();

  await page.getByRole("button", { name: "Adjust balance" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount").fill("2.50");
  await dialog.getByRole("button", { name: "Adjust balance" }).click();
  await expect(dialog.getByText("Enter a reason.")).toBeVisible();
  await expect(dialog.getByText("$12.50")).toBeVisible();
  await dialog.getByLabel("Reason").fill("Goodwill");
  await dialog.getByRole("button", { name: "Adjust balance" }).click();
  await expect(page.getByRole("definition").filter({ hasText: "$12.50" })).toBeVisible();

  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await expect(page.getByText(`${user.username} is disabled.`)).toBeVisible();
  const refused = await fetch(`${gateway.address}/v1/models`, {
    headers: { authorization: `Bearer ${key.key}` },
  });
  expect(refused.status).toBe(401);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("button", { name: "Disable", exact: true })).toBeVisible();

  await page.getByRole("tab", { name: "API keys" }).click();
  await page.getByRole("button", { name: `Pause ${key.name}` }).click();
  await expect(page.getByRole("button", { name: `Resume ${key.name}` })).toBeVisible();

  await page.getByRole("tab", { name: "Changes" }).click();
  const table = page.getByRole("table");
  await expect(table).toContainText("remark: — → Pays by invoice");
  await expect(table).toContainText("root");
  const { items } = await manage<{ items: { action: string }[] }>(
    gateway,
    root,
    "GET",
    `/api/audit/?object_kind=user&object_id=${user.id}`,
  );
  await expect(table.getByRole("row")).toHaveCount(items.length + 1);
});

test("42 · an administrator cannot change those above, and gives no role above", async ({
  page,
  context,
  gateway,
  root,
}) => {
  const administrator = await makeUser(gateway, root, { role: 10 });
  await signedIn(context, gateway, administrator);
  await page.goto(`/console/users/${root.id}`);
  await expect(page.getByText(/^This user's level is not below yours/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Adjust balance" })).toBeDisabled();
  await expect(page.getByLabel("Note")).toBeDisabled();
  await page.goto("/console/users?open=new");
  await page.getByRole("dialog").getByRole("combobox", { name: "Role" }).click();
  await expect(page.getByRole("option")).toHaveText(["User"]);
});

test("42 · a user who opens an administrators' page is refused, and no data is asked for", async ({
  userPage: page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  for (const path of ["users", "users/1", "groups", "codes", "orders"]) {
    await page.goto(`/console/${path}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Not for your role");
  }
  const data = /^\/api\/(user\/(\d+)?$|group|redemption|topup|payment|token|audit)/;
  expect(asked.filter((path) => data.test(path))).toEqual([]);
});

test("42 · a user is made, moved to a group in bulk, and deleted by typing the name", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  test.slow();
  const group = unique("group");
  await page.goto("/console/groups?open=new");
  const drawer = page.getByRole("dialog");
  await drawer.getByLabel("Name", { exact: true }).fill(group);
  await drawer.getByLabel("Price multiplier").fill("0.8");
  await drawer.getByRole("button", { name: "Create group" }).click();
  await expect(page.getByRole("row", { name: new RegExp(group) })).toContainText("× 0.8");

  const username = unique("made");
  await page.goto("/console/users?open=new");
  await drawer.getByLabel("User name").fill(username);
  await drawer.getByLabel("Password", { exact: true }).fill("a password of length");
  await drawer.getByLabel("Starting balance").fill("5");
  await drawer.getByRole("button", { name: "Create user" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(username);
  await expect(page.getByRole("definition").filter({ hasText: "$5.00" })).toBeVisible();

  await page.goto(`/console/users?search=${username}`);
  await page.getByRole("checkbox", { name: /^Select row/ }).check();
  await page.getByRole("button", { name: "Move to a group" }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Group" }).click();
  await page.getByRole("option", { name: group }).click();
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await expect(page.getByText("1 user changed.")).toBeVisible();
  await expect(page.getByRole("row", { name: new RegExp(username) })).toContainText(group);

  await page.getByRole("link", { name: username, exact: true }).click();
  await page.getByRole("button", { name: "Delete user" }).click();
  const confirm = page.getByRole("dialog");
  await expect(confirm.getByRole("button", { name: "Delete user" })).toBeDisabled();
  await confirm.getByRole("textbox").fill(username);
  await confirm.getByRole("button", { name: "Delete user" }).click();
  await expect(page.getByText(`${username} was deleted.`)).toBeVisible();
  const { total } = await manage<{ total: number }>(
    gateway,
    root,
    "GET",
    `/api/user/?search=${username}`,
  );
  expect(total).toBe(0);
});

test("44 · hostile names neither run nor break the layout", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  test.slow();
  const hostile = [
    "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>",
    "x".repeat(100),
    "\u202eمرحبا بالعالم 🦄🦄🦄",
  ];
  const user = await makeUser(gateway, root, { username: unique("x").padEnd(30, "x") });
  const names = hostile.map((name) => name.slice(0, 100));
  for (const name of names) {
    await manage(gateway, root, "POST", "/api/redemption/", { name, quota: 500_000, count: 1 });
    await manage(gateway, root, "PUT", "/api/user/", {
      id: user.id,
      display_name: [...name].slice(0, 50).join(""),
      remark: name,
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`/console/users?search=${user.username}`);
    await expect(page.getByRole("link", { name: user.username })).toBeVisible();
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => sidewaysScroll(page)).toBe(0);
    await page.goto(`/console/users/${user.id}`);
    await expect(page.getByLabel("Note")).toHaveValue(name);
    await expect.poll(() => sidewaysScroll(page)).toBe(0);
    await page.goto("/console/codes");
    await expect(page.getByRole("link", { name: name.trim(), exact: true })).toBeVisible();
    await expect.poll(() => sidewaysScroll(page)).toBe(0);
  }
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
});

test("42 · users are imported from a file: tried out first, made once, refused again", async ({
  rootPage: page,
  gateway,
  root,
}) => {
  const [first, second] = [unique("ada"), unique("bob")];
  const text = [
    "username,email,balance_usd,password",
    `${first},${first}@example.org,2.50,a long password`,
    `${second},,,`,
    `${first},,,a long password`,
  ].join("\n");
  const found = async () => {
    const path = `/api/user/?search=${first}`;
    return (await manage<{ items: { quota_usd: string }[] }>(gateway, root, "GET", path)).items;
  };
  const choose = async () => {
    const file = { name: "users.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.getByRole("button", { name: "Dry run" }).click();
  };
  await page.goto("/console/users");
  await page.getByRole("button", { name: "Import CSV" }).click();
  const dialog = page.getByRole("dialog", { name: "Import CSV" });
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download a template" }).click();
  expect((await download).suggestedFilename()).toBe("users.csv");
  await choose();
  const status = dialog.getByRole("status");
  await expect(status).toHaveText(
    "1 user would be created · 2 rows are refused · starting balances of $2.50 in all",
  );
  const rows = dialog.getByRole("row");
  await expect(rows.nth(1)).toHaveText(`2${first}Would be created`);
  await expect(rows.nth(2)).toContainText("password: is required");
  await expect(rows.nth(3)).toContainText("Line 2 has the same name.");
  expect(await found()).toEqual([]);

  await dialog.getByRole("button", { name: "Create 1 user" }).click();
  await expect(status).toContainText("1 user was created · 2 rows are refused");
  expect((await found()).map(({ quota_usd }) => quota_usd)).toEqual(["2.5"]);

  await dialog.getByRole("button", { name: "Choose another file" }).click();
  await choose();
  await expect(rows.nth(1)).toContainText("A user of that name exists already.");
  await expect(dialog.getByRole("button", { name: "Create 0 users" })).toBeDisabled();
});
