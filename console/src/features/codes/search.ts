// What the page of codes keeps in its address.

import { oneOf, type SearchValues, searchOf, tableFields, text } from "@/lib/search";

/** States as the interface names them. */
export const CODE_STATES = ["active", "redeemed", "disabled", "expired"] as const;

const FIELDS = {
  ...tableFields,
  /** The batch that is shown. */
  name: text(),
  /** A part of a batch's name. */
  search: text(),
  status: oneOf(CODE_STATES),
  open: oneOf(["new"]),
} as const;

export type CodesSearch = SearchValues<typeof FIELDS>;

export const codesSearch = searchOf(FIELDS);
