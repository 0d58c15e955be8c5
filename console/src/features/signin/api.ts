// The calls of the pages before a session: register, forgotten password, passkey.

import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  WebAuthnAbortService,
} from "@simplewebauthn/browser";
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";
import { passkeyOptions } from "@/session/passkeyOptions";
import type { SignedIn } from "@/session/signIn";

/** Whose invite code it is. */
export function inviterQuery(code: string) {
  return queryOptions({
    queryKey: ["signin", "inviter", code],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/user/aff/{code}", { params: { path: { code } }, signal })),
  });
}

export type Registration = Schema<"RegisterInput">;

export function register(body: Registration): Promise<SignedIn> {
  return dataOf(api.POST("/api/user/register", { body }));
}

/** Mails a code that proves that the address is one's own. */
export function mailCode(email: string): Promise<unknown> {
  return dataOf(api.POST("/api/user/verification", { body: { email } }));
}

/** Mails a link to a new password; the answer is the same whether or not anybody has the address. */
export function mailResetLink(email: string): Promise<unknown> {
  return dataOf(api.POST("/api/user/reset", { body: { email } }));
}

export function setNewPassword(token: string, password: string): Promise<unknown> {
  return dataOf(api.POST("/api/user/reset", { body: { token, password } }));
}

/** Browsers allow passkeys on https and localhost only, and never for a bare IP address. */
export function arePasskeysPossible(): boolean {
  const isAddress = /^[\d.]+$|:/.test(location.hostname.replace(/^\[|\]$/g, ""));
  return window.isSecureContext && "PublicKeyCredential" in window && !isAddress;
}

/** Signs in with a passkey; `byAutofill` waits until one is chosen in the user name's suggestions. */
export async function signInWithPasskey(byAutofill = false): Promise<SignedIn> {
  const begun = await dataOf(api.POST("/api/user/passkey/login/begin"));
  const credential = await startAuthentication({
    optionsJSON: passkeyOptions(begun.options),
    useBrowserAutofill: byAutofill,
  });
  const body = { flow_token: begun.flow_token, credential: credential as never };
  return dataOf(api.POST("/api/user/passkey/login/finish", { body }));
}

/** Whether suggestions of the user name field can offer passkeys. */
export async function canSuggestPasskeys(): Promise<boolean> {
  return arePasskeysPossible() && (await browserSupportsWebAuthnAutofill());
}

/** Ends a ceremony that waits for a choice. */
export function stopSuggestingPasskeys(): void {
  WebAuthnAbortService.cancelCeremony();
}
