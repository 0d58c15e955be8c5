// The calls that begin a session, for the sign-in pages and for the dialog of an ended session.

import { api, dataOf, type Schema } from "@/api/management";
import type { User } from "./session";

/** The second step of a sign-in that needs a code. */
export type NeedsCode = Schema<"NeedsCode">;

/** The account; or, where a second factor is on, what the second step needs. */
export type SignedIn = User | NeedsCode;

/** Whether a code is needed before the session begins. */
export function needsCode(answer: SignedIn): answer is NeedsCode {
  return "require_2fa" in answer;
}

/** By user name or e-mail address and password. */
export function signIn(username: string, password: string): Promise<SignedIn> {
  return dataOf(api.POST("/api/user/login", { body: { username, password } }));
}

/** The second step: six digits or a backup code. */
export function signInWithCode(code: string, flowToken: string | undefined): Promise<SignedIn> {
  const body = { code, flow_token: flowToken ?? null };
  return dataOf(api.POST("/api/user/login/2fa", { body }));
}
