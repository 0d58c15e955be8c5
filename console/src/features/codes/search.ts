// What the page of codes keeps in its address.

import { oneOf, type SearchValues, searchOf, tableFields, text } from "@/lib/search";

const FIELDS = {
  ...tableFields,
  /** The batch that is shown. */
  name: text(),
  open: oneOf(["new"]),
} as const;

export type CodesSearch = SearchValues<typeof FIELDS>;

export const codesSearch = searchOf(FIELDS);
