// Ways into an account beside its password: an identity provider, and the link of a mail.

import { expect } from "@playwright/test";
import { logIn, makeUser, manage, setUp, unique } from "./support/accounts";
import { startGateway } from "./support/gateway";
import { startIdentityProvider } from "./support/identityProvider";
import { startMailSink } from "./support/mailSink";
import { signedIn, test, Watch } from "./support/test";

const LOOPBACK = { OUTBOUND__ALLOW_PRIVATE: "127.0.0.0/8" };

test("an identity of a provider is linked, signs in without a password, and is unlinked", async ({
  browser,
}) => {
  const person = { sub: unique("person"), preferred_username: "mona", email: "mona@example.org" };
  const provider = await startIdentityProvider(person);
  const gateway = await startGateway(LOOPBACK, provider.config);
  const context = await browser.newContext({ baseURL: gateway.address, locale: "en-US" });
  try {
    const root = await setUp(gateway);
    const user = await makeUser(gateway, root);
    await signedIn(context, gateway, user);
    const page = await context.newPage();
    const watch = new Watch(gateway);
    watch.follow(page);
    watch.expectProblem(new RegExp(`foreign request: ${provider.issuer}`));
    watch.expectProblem(/403/);

    await page.goto("/console/account?section=security");
    await page.getByRole("button", { name: "Link Work" }).click();
    await page.getByRole("link", { name: "Go on" }).click();
    const identities = page.getByRole("region", { name: "Linked identities" });
    await expect(identities.getByText("The identity is linked")).toBeVisible();
    await expect(identities).toContainText("mona");

    await context.clearCookies();
    await page.goto("/login");
    await page.getByRole("link", { name: /Work/ }).click();
    await page.getByRole("link", { name: "Go on" }).click();
    await expect(page).toHaveURL(/\/console/);
    await expect(page.getByRole("button", { name: `Account of ${user.username}` })).toBeVisible();

    await page.goto("/console/account?section=security");
    await page.getByRole("button", { name: "Unlink Work" }).click();
    // A login through the provider is no step-up for an account that has a password.
    const stepUp = page.getByRole("dialog", { name: "Confirm that it is you" });
    await stepUp.getByLabel("Password", { exact: true }).fill(user.password);
    await stepUp.getByRole("button", { name: "Confirm" }).click();
    await expect(identities).toContainText("None is linked yet.");
    expect(watch.problems()).toEqual([]);
  } finally {
    await context.close();
    await gateway.stop();
    await provider.stop();
  }
});

test("a forgotten password is set anew by the link of a mail, and the old one ends", async ({
  browser,
}) => {
  const mail = await startMailSink();
  const gateway = await startGateway(mail.settings);
  const context = await browser.newContext({ baseURL: gateway.address, locale: "en-US" });
  try {
    const root = await setUp(gateway);
    const user = await makeUser(gateway, root);
    const email = `${user.username}@example.org`;
    await manage(gateway, root, "PUT", "/api/user/", { id: user.id, email });
    const page = await context.newPage();
    const watch = new Watch(gateway);
    watch.follow(page);

    await page.goto("/forgot");
    await page.getByRole("textbox", { name: "E-mail" }).fill(email);
    await page.getByRole("button", { name: "Mail me a link" }).click();
    await expect(page.getByText("a link is on its way")).toBeVisible();
    const link = () => /\/reset\?token=[\w-]+/.exec(plain(mail.messages.at(-1) ?? ""))?.[0];
    await expect.poll(link).toBeDefined();

    await page.goto(link() ?? "");
    await page.getByLabel("Password", { exact: true }).fill("quite another password");
    await page.getByRole("button", { name: "Set password" }).click();
    await expect(page).toHaveURL(/\/login/);
    await expect(logIn(gateway, user.username)).rejects.toThrow(/401/);
    await logIn(gateway, user.username, "quite another password");
    expect(watch.problems()).toEqual([]);
  } finally {
    await context.close();
    await gateway.stop();
    await mail.stop();
  }
});

/** Mail breaks long lines and writes "=" as "=3D" when it is quoted. */
function plain(message: string): string {
  return message.replace(/=\n/g, "").replace(/=3D/g, "=");
}
