// What the wallet keeps in its address.

import { type SearchValues, searchOf, tableFields, text } from "@/lib/search";

const FIELDS = {
  p: tableFields.p,
  page_size: tableFields.page_size,
  /** The order whose state is shown; providers send people back with it. */
  order: text(),
} as const;

export type WalletSearch = SearchValues<typeof FIELDS>;

export const walletSearch = searchOf(FIELDS);
