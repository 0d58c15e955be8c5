// What the account page asks of the gateway: profile, second factor, passkeys, sessions, tokens.

import { startRegistration } from "@simplewebauthn/browser";
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type FactorSetUp = Schema<"FactorSetUp">;
export type Passkey = Schema<"Passkey">;
export type LoginSession = Schema<"Session">;
export type Identity = Schema<"IdentityView">;
export type AccessToken = Schema<"AccessToken">;
export type AccessScope = Schema<"AccessScope">;
export type ProfileChange = Schema<"ProfileInput">;

const ACCOUNT = "account";

export const factorQuery = queryOptions({
  queryKey: [ACCOUNT, "factor"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/user/2fa/status", { signal })),
});

export const passkeysQuery = queryOptions({
  queryKey: [ACCOUNT, "passkeys"],
  queryFn: async ({ signal }) => (await dataOf(api.GET("/api/user/passkey", { signal }))).passkeys,
});

export const sessionsQuery = queryOptions({
  queryKey: [ACCOUNT, "sessions"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/user/sessions", { signal })),
});

export const accessTokensQuery = queryOptions({
  queryKey: [ACCOUNT, "accessTokens"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/user/pat", { signal })),
});

export const identitiesQuery = queryOptions({
  queryKey: [ACCOUNT, "identities"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/user/identities", { signal })),
});

/** Where to send the browser, so that the provider says who somebody is there. */
export function linkIdentity(provider: string) {
  return dataOf(api.POST("/api/oauth/{provider}/link", { params: { path: { provider } } }));
}

export function unlinkIdentity(id: number) {
  return dataOf(api.DELETE("/api/user/identities/{id}", { params: { path: { id } } }));
}

export function changeProfile(body: ProfileChange) {
  return dataOf(api.PUT("/api/user/self", { body }));
}

/** Mails a code that shows that an address is one's own. */
export function mailCode(email: string) {
  return dataOf(api.POST("/api/user/verification", { body: { email } }));
}

/** A new secret and backup codes; they count once a first code was right. */
export function setUpFactor(): Promise<FactorSetUp> {
  return dataOf(api.POST("/api/user/2fa/setup"));
}

export function enableFactor(code: string) {
  return dataOf(api.POST("/api/user/2fa/enable", { body: { code } }));
}

export function disableFactor(code: string) {
  return dataOf(api.POST("/api/user/2fa/disable", { body: { code } }));
}

export async function renewBackupCodes(code: string): Promise<string[]> {
  const answer = await dataOf(api.POST("/api/user/2fa/backup_codes", { body: { code } }));
  return answer.backup_codes;
}

/** The browser makes a passkey, the gateway keeps its public half. */
export async function registerPasskey(name: string): Promise<Passkey> {
  const { options, flow_token } = await dataOf(api.POST("/api/user/passkey/register/begin"));
  type Options = Parameters<typeof startRegistration>[0]["optionsJSON"];
  const { publicKey } = options as { publicKey: Options };
  const credential = await startRegistration({ optionsJSON: publicKey });
  const body = { flow_token, name, credential: credential as never };
  return dataOf(api.POST("/api/user/passkey/register/finish", { body }));
}

export function deletePasskey(id: number) {
  return dataOf(api.DELETE("/api/user/passkey/{id}", { params: { path: { id } } }));
}

/** Deletes one's own account. */
export function leave(password: string) {
  return dataOf(api.DELETE("/api/user/self", { body: { password } }));
}

export function endSession(id: number) {
  return dataOf(api.DELETE("/api/user/sessions/{id}", { params: { path: { id } } }));
}

export function endOtherSessions() {
  return dataOf(api.DELETE("/api/user/sessions"));
}

export function makeAccessToken(name: string, scopes: AccessScope[], expires_at: string) {
  return dataOf(api.POST("/api/user/pat", { body: { name, scopes, expires_at } }));
}

export function deleteAccessToken(id: number) {
  return dataOf(api.DELETE("/api/user/pat/{id}", { params: { path: { id } } }));
}
