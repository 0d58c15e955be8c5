import type { Page } from "@playwright/test";
import { logIn, makeUser, PASSWORD, setUp } from "./support/accounts";
import { startGateway } from "./support/gateway";
import { startMailSink } from "./support/mailSink";
import { expect, signedIn, test, Watch } from "./support/test";
import { totp } from "./support/totp";

/** Leaves through the menu and gives the password at the sign-in page. */
async function signInAgain(page: Page, username: string): Promise<void> {
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("User name or e-mail").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Second step" })).toBeVisible();
}

test("8 · an authenticator app is enrolled, its codes and backup codes work once each", async ({
  userPage: page,
  context,
  user,
  watch,
}) => {
  // Four sign-ins in one journey.
  test.slow();
  watch.expectProblem(/40[01]/);
  await page.goto("/console/account?section=security");
  await page.getByRole("button", { name: "Set up an authenticator app" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("img", { name: /^QR code/ })).toBeVisible();
  const secret = (await dialog.locator("code").first().textContent()) ?? "";
  await dialog.getByLabel("Code that the app shows").fill("000000");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dialog.getByLabel("Code that the app shows").fill(totp(secret));
  await dialog.getByRole("button", { name: "Confirm" }).click();
  const codes = dialog.getByRole("list", { name: "Backup codes" }).getByRole("listitem");
  await expect(codes).toHaveCount(10);
  const backup = ((await codes.first().textContent()) ?? "").trim();
  await dialog.getByRole("button", { name: "I saved them" }).click();
  await expect(page.getByText("10 backup codes left")).toBeVisible();

  await signInAgain(page, user.username);
  const code = totp(secret, 1);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((text) => navigator.clipboard.writeText(text), code);
  await page.getByLabel("Six-digit code").press("Control+V");
  await expect(page).toHaveURL(/\/console\//);

  await signInAgain(page, user.username);
  await page.getByLabel("Six-digit code").fill(code);
  await expect(page.getByText("The code is wrong or was used before.")).toBeVisible();
  await page.getByRole("button", { name: "Use a backup code" }).click();
  await page.getByLabel("Backup code").fill(backup);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/console\//);
  await page.goto("/console/account?section=security");
  await expect(page.getByText("9 backup codes left")).toBeVisible();

  await signInAgain(page, user.username);
  await page.getByRole("button", { name: "Use a backup code" }).click();
  await page.getByLabel("Backup code").fill(backup);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByText("The code is wrong or was used before.")).toBeVisible();
});

test("9 · a passkey is registered and signs in without a password", async ({
  page,
  context,
  gateway,
  user,
}) => {
  // An IP address is no origin for passkeys.
  const address = `http://localhost:${gateway.port}`;
  await signedIn(context, { address }, user);
  // Offered in the name field, the passkey would sign in by itself, before the button is pressed.
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
  const protocol = await context.newCDPSession(page);
  await protocol.send("WebAuthn.enable");
  await protocol.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${address}/console/account?section=security`);
  await page.getByLabel("Name of the passkey").fill("This laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "This laptop" })).toBeVisible();

  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page).toHaveURL(/\/console\//);
  await page.getByRole("button", { name: `Account of ${user.username}` }).click();
  await page.getByRole("menuitem", { name: "Account", exact: true }).click();
  await page.getByRole("tab", { name: "Security" }).click();
  // The login with it was a moment ago, and counts as a confirmation.
  await page.getByRole("button", { name: "Delete This laptop" }).click();
  await expect(page.getByText("You have no passkeys yet.")).toBeVisible();
});

test("sessions are listed and ended, a token is shown once, a new password signs others out", async ({
  userPage: page,
  gateway,
  user,
}) => {
  const other = await logIn(gateway, user.username);
  await page.goto("/console/account?section=sessions");
  await expect(page.getByText("This session")).toBeVisible();
  await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
  await expect(page.getByRole("button", { name: "Sign out", exact: true })).toHaveCount(0);
  const refused = await fetch(`${gateway.address}/api/user/self`, {
    headers: { cookie: other.cookie },
  });
  expect(refused.status).toBe(401);

  await page.getByRole("tab", { name: "Access tokens" }).click();
  await page.getByLabel("Name of the token").fill("backup script");
  await page.getByRole("button", { name: "Make token" }).click();
  const secret = (await page.getByRole("dialog").getByText(/^pat-/).textContent()) ?? "";
  await page.getByRole("button", { name: "I saved it" }).click();
  await expect(page.getByText("backup script")).toBeVisible();
  await expect(page.getByText(secret)).toHaveCount(0);
  const self = await fetch(`${gateway.address}/api/user/self`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(self.status).toBe(200);

  const third = await logIn(gateway, user.username);
  await page.getByRole("tab", { name: "Security" }).click();
  await page.getByLabel("Present password").fill(PASSWORD);
  await page.getByLabel("New password", { exact: true }).fill("another long password");
  await page.getByLabel("New password again").fill("another long password");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText(/^Password changed/)).toBeVisible();
  const ended = await fetch(`${gateway.address}/api/user/self`, {
    headers: { cookie: third.cookie },
  });
  expect(ended.status).toBe(401);
});

test("profile and preferences are kept", async ({ userPage: page }) => {
  await page.goto("/console/account");
  await page.getByLabel("Name to show").fill("Ana Maria");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Account of Ana Maria" })).toBeVisible();
  await page.getByRole("tab", { name: "Preferences" }).click();
  await page.getByRole("radio", { name: "Dark" }).check();
  await page.getByRole("radio", { name: "Compact" }).check();
  await page.reload();
  await expect(page.getByRole("radio", { name: "Compact" })).toBeChecked();
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await expect(page.locator("html")).toHaveAttribute("data-density", "compact");
});

test("a user chooses when to be mailed about the balance", async ({ browser }) => {
  const mail = await startMailSink();
  const gateway = await startGateway({ ...mail.settings, MAIL__LOW_BALANCE_USD: "5" });
  const context = await browser.newContext({ baseURL: gateway.address, locale: "en-US" });
  try {
    const root = await setUp(gateway);
    await signedIn(context, gateway, await makeUser(gateway, root));
    const page = await context.newPage();
    const watch = new Watch(gateway);
    watch.follow(page);
    await page.goto("/console/account?section=preferences");
    const card = page.getByRole("region", { name: "Low balance" });
    await expect(card.getByRole("radio", { name: /below \$5\.00/ })).toBeChecked();
    await expect(card).toContainText("You have no e-mail address yet");
    await card.getByRole("radio", { name: "Below an amount of your own" }).check();
    await card.getByRole("button", { name: "Save" }).click();
    await expect(card).toContainText("Enter an amount of dollars");
    await card.getByLabel("Amount in dollars").fill("7.50");
    await card.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved.")).toBeVisible();
    await page.reload();
    await expect(card.getByLabel("Amount in dollars")).toHaveValue("7.5");
    expect(watch.problems()).toEqual([]);
  } finally {
    await context.close();
    await gateway.stop();
    await mail.stop();
  }
});

test("an account is deleted by its owner with name and password", async ({
  userPage: page,
  gateway,
  user,
  watch,
}) => {
  watch.expectProblem(/403/);
  await page.goto("/console/account");
  await page.getByRole("button", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog");
  const leave = dialog.getByRole("button", { name: "Delete account" });
  await expect(leave).toBeDisabled();
  await dialog.getByRole("textbox", { name: `Type ${user.username}` }).fill(user.username);
  await dialog.getByLabel("Present password").fill("not the password");
  await leave.click();
  await expect(dialog.getByText("is wrong")).toBeVisible();
  await dialog.getByLabel("Present password").fill(PASSWORD);
  await leave.click();
  await expect(page).toHaveURL(`${gateway.address}/`);
  const self = await fetch(`${gateway.address}/api/user/self`, {
    headers: { cookie: user.cookie },
  });
  expect(self.status).toBe(401);
});
