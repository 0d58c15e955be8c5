// Journeys of signing in: invitation, wrong passwords, second factor, passkey, an ended session.

import { createHmac } from "node:crypto";
import { logIn, makeUser, manage, PASSWORD, unique } from "./support/accounts";
import { expect, signedIn, test } from "./support/test";

/** Whoever is not signed in is told so by the gateway; the browser notes it. */
const SIGNED_OUT = /401/;

async function enter(page: import("@playwright/test").Page, name: string, password: string) {
  await page.getByRole("textbox", { name: "User name or e-mail" }).fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("6 · an invited visitor registers, and the inviter is counted once", async ({
  page,
  gateway,
  user,
}) => {
  const { aff_code } = await manage<{ aff_code: string }>(gateway, user, "GET", "/api/user/aff");
  await page.goto(`/register?aff=${aff_code}`);
  await expect(page.getByRole("note")).toContainText(`Invited by ${user.username}`);
  await expect(page.getByRole("textbox", { name: "Invite code" })).toHaveValue(aff_code);
  await page.getByRole("textbox", { name: "User name" }).fill(unique("guest"));
  const password = page.getByLabel("Password", { exact: true });
  await password.fill("short");
  await expect(page.getByText("3 more characters")).toBeVisible();
  await password.fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  const after = await manage<{ aff_count: number }>(gateway, user, "GET", "/api/user/aff");
  expect(after.aff_count).toBe(1);
});

test("7 · a wrong password and an unknown user look the same, and the fifth locks", async ({
  page,
  user,
  watch,
}) => {
  watch.expectProblem(/401|429/);
  await page.goto("/login");
  await enter(page, unique("nobody"), "wrong password");
  const alert = page.getByRole("alert");
  await expect(alert).toHaveText("The user name or the password is wrong.");
  await enter(page, user.username, "wrong password");
  await expect(alert).toHaveText("The user name or the password is wrong.");
  const wrong = { username: user.username, password: "wrong password" };
  for (let tries = 2; tries <= 5; tries += 1) {
    await page.request.post("/api/user/login", { data: wrong });
  }
  await enter(page, user.username, PASSWORD);
  await expect(alert).toHaveText(/Too many tries\. Try again in \d+ seconds\./);
  await expect(page.getByRole("button", { name: "Sign in" })).toBeDisabled();
  const shown = await alert.textContent();
  await expect(alert).not.toHaveText(shown ?? "");
});

/** The six digits of an authenticator app. */
function totp(secret: string, at = Date.now()): string {
  const bits = [...secret.replace(/=+$/, "")]
    .map((letter) =>
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
    )
    .join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const hash = createHmac("sha1", key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

test("8 · the second step takes a pasted code and each backup code once", async ({
  page,
  context,
  gateway,
  user,
  watch,
}) => {
  watch.expectProblem(SIGNED_OUT);
  const factor = await manage<{ secret: string; backup_codes: string[] }>(
    gateway,
    user,
    "POST",
    "/api/user/2fa/setup",
  );
  // The code of the step before is as good, and leaves the present one for the sign-in below.
  const code = totp(factor.secret, Date.now() - 30_000);
  await manage(gateway, user, "POST", "/api/user/2fa/enable", { code });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/login?next=%2Fconsole%2Faccount");
  await enter(page, user.username, PASSWORD);
  await expect(page).toHaveURL(/\/login\/2fa/);
  await expect(page.getByRole("timer")).toHaveText(/Time left: \d+:\d\d/);
  await page.evaluate((text) => navigator.clipboard.writeText(text), totp(factor.secret));
  await page.getByRole("textbox", { name: "Six-digit code" }).focus();
  await page.keyboard.press("Control+V");
  await expect(page).toHaveURL(/\/console\/account/);

  const [backup = ""] = factor.backup_codes;
  for (const isRight of [true, false]) {
    await page.request.post("/api/user/logout");
    await page.goto("/login");
    await enter(page, user.username, PASSWORD);
    await page.getByRole("button", { name: "Use a backup code" }).click();
    await page.getByRole("textbox", { name: "Backup code" }).fill(backup);
    await page.getByRole("button", { name: "Sign in" }).click();
    if (isRight) {
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
    } else {
      await expect(page.getByRole("alert")).toHaveText("The code is wrong or was used before.");
    }
  }
});

test("9 · a passkey signs in without a password", async ({
  page,
  context,
  gateway,
  user,
  watch,
}) => {
  watch.expectProblem(SIGNED_OUT);
  // An IP address is no origin for passkeys; the name of the loopback is one.
  const address = `http://localhost:${gateway.port}`;
  await signedIn(context, { address }, user);
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${address}/console/overview`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  // Registering is the account page's journey; here the browser makes one through the interface.
  await page.evaluate(async () => {
    const post = async (path: string, body: unknown) => {
      const answer = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return (await answer.json()).data;
    };
    const begun = await post("/api/user/passkey/register/begin", {});
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(begun.options.publicKey);
    const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
    await post("/api/user/passkey/register/finish", {
      flow_token: begun.flow_token,
      name: "test",
      credential: made.toJSON(),
    });
  });
  await context.clearCookies();
  await page.goto(`${address}/login`);
  // The authenticator answers by itself as soon as the page suggests passkeys for the user name.
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
});

test("10 · a session that ends keeps what was typed and goes on after signing in", async ({
  page,
  context,
  gateway,
  root,
  watch,
}) => {
  watch.expectProblem(SIGNED_OUT);
  const person = await makeUser(gateway, root);
  await signedIn(context, gateway, person);
  await page.goto("/console/keys");
  await page.getByRole("button", { name: "New key" }).first().click();
  const name = page.getByRole("textbox", { name: /^Name/ });
  const typed = unique("typed");
  await name.fill(typed);
  await page.request.post("/api/user/logout");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Create/ })
    .click();
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await expect(dialog.getByRole("textbox", { name: "User name" })).toHaveValue(person.username);
  await dialog.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog).toBeHidden();
  // The call that was refused was sent again by itself.
  await expect(page.getByText(/^sk-/).first()).toBeVisible();
  const again = await logIn(gateway, person.username);
  const { items } = await manage<{ items: { name: string }[] }>(
    gateway,
    again,
    "GET",
    "/api/token/",
  );
  expect(items.map((token) => token.name)).toContain(typed);
});

test("a page of administrators refuses a user without asking for data", async ({
  userPage: page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto("/console/users");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Not for your role");
  expect(asked).not.toContain("/api/user/");
});

test("signing out leads to the sign-in page, and old addresses to their new pages", async ({
  userPage: page,
  user,
  watch,
}) => {
  watch.expectProblem(SIGNED_OUT);
  await page.goto("/console/personal");
  await expect(page).toHaveURL(/\/console\/account$/);
  await page.getByRole("button", { name: `Account of ${user.username}` }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign in");
  await page.goto("/console/logs");
  await expect(page).toHaveURL(/\/login\?next=%2Fconsole%2Flogs/);
  await enter(page, user.username, PASSWORD);
  await expect(page).toHaveURL(/\/console\/logs/);
});
