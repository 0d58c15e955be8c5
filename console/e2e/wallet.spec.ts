import { addBalance, makeUser, manage, PASSWORD, unique } from "./support/accounts";
import { expect, signedIn, test } from "./support/test";
import { deliver, type PaidOrder, paidEvent } from "./support/webhook";

/** The checkout page names no icon, so the browser asks for one that is not there. */
const NO_ICON = /status of 404/;

test("40 · a top-up is credited once, however late and often its webhook comes", async ({
  userPage: page,
  gateway,
  root,
  user,
  watch,
}) => {
  test.slow();
  watch.expectProblem(NO_ICON);
  await page.goto("/console/wallet");
  await expect(page.getByText("$10.00").first()).toBeVisible();
  await page.getByRole("textbox", { name: "Amount" }).fill("12.50");
  await page.getByRole("button", { name: "Continue to checkout" }).click();
  await expect(page.getByRole("heading", { name: "Sandbox checkout" })).toBeVisible();
  await page.getByRole("link", { name: "Back to the wallet" }).click();

  await expect(page.getByText("Waiting for the payment provider to confirm.")).toBeVisible();
  const order = await newestOrder();
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));

  expect(await deliver(gateway, paidEvent(order, unique("evt")), "another secret")).toBe(400);
  await expect(page.getByText("Waiting for the payment provider to confirm.")).toBeVisible();

  const event = paidEvent(order, unique("evt"));
  expect(await deliver(gateway, event)).toBe(200);
  await expect(page.getByText("Paid. The amount is in your balance.")).toBeVisible();
  expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
  await expect(page.getByRole("button", { name: "Save receipt" })).toBeVisible();

  expect(await deliver(gateway, event)).toBe(200);
  await page.getByRole("button", { name: "Back to the wallet" }).click();
  await expect(page.getByText("$22.50").first()).toBeVisible();
  await expect(page.getByRole("row", { name: new RegExp(order.order_id) })).toContainText("Paid");

  await signedIn(page.context(), gateway, root);
  await page.goto(`/console/orders?view=deliveries&order_id=${order.order_id}`);
  const row = page.getByRole("row", { name: /checkout\.session\.completed/ });
  await expect(row).toContainText("Credited");
  await expect(row).toContainText("2");
  await row.getByRole("button").click();
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByText("Right: it came from the provider")).toBeVisible();
  await drawer.getByRole("button", { name: "Replay" }).click();
  await expect(page.getByText(/^Acted on again/)).toBeVisible();
  const { quota_usd } = await manage<{ quota_usd: string }>(gateway, user, "GET", "/api/user/self");
  expect(quota_usd).toMatch(/^22\.5/);
  await page.goto("/console/orders?view=deliveries&verdict=bad_signature");
  await expect(page.getByRole("row").nth(1)).toContainText("Wrong signature");

  async function newestOrder(): Promise<PaidOrder> {
    const list = await manage<{ items: PaidOrder[] }>(gateway, user, "GET", "/api/topup/");
    const [newest] = list.items;
    if (newest === undefined) {
      throw new Error("there is no order");
    }
    return newest;
  }
});

test("40 · the sandbox's own checkout pays, fails and is told so", async ({
  userPage: page,
  watch,
}) => {
  watch.expectProblem(NO_ICON);
  await page.goto("/console/wallet");
  await page.getByRole("button", { name: "$20.00" }).click();
  await page.getByRole("button", { name: "Continue to checkout" }).click();
  await page.getByRole("button", { name: "Let the payment fail" }).click();
  await expect(page.getByText(/^The payment failed/)).toBeVisible();

  await page.getByRole("button", { name: "Back to the wallet" }).click();
  await page.getByRole("textbox", { name: "Amount" }).fill("0.10");
  await page.getByRole("button", { name: "Continue to checkout" }).click();
  await expect(page.getByText(/^Enter an amount from \$0\.50/)).toBeVisible();
  await page.getByRole("button", { name: "$5.00", exact: true }).click();
  await page.getByRole("button", { name: "Continue to checkout" }).click();
  await page.getByRole("button", { name: "Pay with play money" }).click();
  await expect(page.getByText("Paid. The amount is in your balance.")).toBeVisible();
});

test("41 · codes are redeemed once, and each refusal has its own text", async ({
  userPage: page,
  gateway,
  root,
  watch,
}) => {
  watch.expectProblem(/40[49]/);
  const name = unique("batch");
  const [good = "", off = ""] = await codes({ count: 2 });
  const end = new Date(Date.now() + 1_500).toISOString();
  const [expiring = ""] = await codes({ count: 1, expires_at: end });
  const { items } = await batch();
  // Newest first: the expiring one, then the second of the pair.
  await manage(gateway, root, "PUT", "/api/redemption/", { id: items[1]?.id, disabled: true });

  await page.goto("/console/wallet");
  const field = page.getByRole("textbox", { name: "Code" });
  const redeem = async (code: string) => {
    await field.fill(code);
    await page.getByRole("button", { name: "Redeem", exact: true }).click();
  };
  await redeem("nonsense-code");
  await expect(page.getByText(/^There is no such code/)).toBeVisible();
  await redeem(good);
  await expect(page.getByText("$3.00 were added. Your balance is $13.00.")).toBeVisible();
  await expect(page.getByRole("definition").filter({ hasText: "$13.00" })).toBeVisible();
  await redeem(good);
  await expect(page.getByText(/^This code was used before/)).toBeVisible();
  await redeem(off);
  await expect(page.getByText(/^This code was switched off/)).toBeVisible();
  await expect.poll(async () => (await batch()).items[0]?.status).toBe("expired");
  await redeem(expiring);
  await expect(page.getByText(/^This code has expired/)).toBeVisible();

  async function codes(more: object): Promise<string[]> {
    const body = { name, quota: 1_500_000, ...more };
    return (await manage<{ codes: string[] }>(gateway, root, "POST", "/api/redemption/", body))
      .codes;
  }

  async function batch(): Promise<{ items: { id: number; status: string }[] }> {
    return manage(gateway, root, "GET", `/api/redemption/?name=${name}`);
  }
});

test("41 · referral earnings move to the balance from the minimum on", async ({
  userPage: page,
  gateway,
  root,
  user,
}) => {
  const values = { "referral.inviter_usd": "2", "referral.invitee_usd": "0.5" };
  await manage(gateway, root, "PUT", "/api/option/", { values });
  await page.goto("/console/wallet");
  const card = page.getByRole("region", { name: "Invite others" });
  await expect(card.getByRole("button", { name: "Move to balance" })).toBeDisabled();

  const { aff_code } = await manage<{ aff_code: string }>(gateway, user, "GET", "/api/user/self");
  await expect(card).toContainText(`/register?aff=${aff_code}`);
  const answer = await fetch(`${gateway.address}/api/user/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: unique("guest"), password: PASSWORD, aff_code }),
  });
  expect(answer.status).toBe(200);

  await page.reload();
  await expect(card).toContainText("You get $2.00 and they get $0.50");
  await card.getByRole("textbox", { name: "Amount to move" }).fill("0.50");
  await card.getByRole("button", { name: "Move to balance" }).click();
  await expect(card.getByText("Enter an amount from $1.00 to $2.00.")).toBeVisible();
  await card.getByRole("textbox", { name: "Amount to move" }).fill("1.25");
  await card.getByRole("button", { name: "Move to balance" }).click();
  await expect(page.getByText("Moved. Your balance is $11.25.")).toBeVisible();
  await expect(card).toContainText("$0.75");
  await expect(card.getByRole("button", { name: "Move to balance" })).toBeDisabled();
});

test("a wallet tells how long it lasts only where something was spent", async ({
  page,
  context,
  gateway,
  root,
}) => {
  const user = await makeUser(gateway, root, { balance: 0 });
  await addBalance(gateway, root, user, 3);
  await signedIn(context, gateway, user);
  await page.goto("/console/wallet");
  await expect(page.getByText("Nothing was spent in that time")).toBeVisible();
  await expect(page.getByText("No payments yet")).toBeVisible();
});
