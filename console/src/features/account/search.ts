// What the account page keeps in its address.

import { oneOf, type SearchValues, searchOf } from "@/lib/search";

export const SECTIONS = ["profile", "security", "sessions", "tokens", "preferences"] as const;

const FIELDS = {
  section: oneOf(SECTIONS),
  /** How linking an identity ended: the provider sends people back with it. */
  identity: oneOf(["linked", "identity_taken"]),
} as const;

export type AccountSearch = SearchValues<typeof FIELDS>;

export const accountSearch = searchOf(FIELDS);
