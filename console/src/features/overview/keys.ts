// Which of one's keys need attention: those that end soon and those near their limit.

import type { Schema } from "@/api/management";

type Token = Schema<"Token">;

const SOON_MS = 7 * 86_400_000;
const NEAR = 0.8;
const MOST = 5;

export interface Attention {
  token: Token;
  reason: "expires" | "limit";
}

/** At most five, in the order of the list. */
export function attentionOf(tokens: readonly Token[], now: number): Attention[] {
  return tokens.flatMap((token) => reasonFor(token, now)).slice(0, MOST);
}

function reasonFor(token: Token, now: number): Attention[] {
  if (token.expires_at !== null && token.expires_at !== undefined) {
    if (Date.parse(token.expires_at) - now < SOON_MS) {
      return [{ token, reason: "expires" }];
    }
  }
  const limit = token.budget_total;
  return typeof limit === "number" && token.used_quota >= limit * NEAR
    ? [{ token, reason: "limit" }]
    : [];
}
