// What the groups page keeps in its address.

import { type SearchValues, searchOf, tableFields, text } from "@/lib/search";

const FIELDS = {
  sort: tableFields.sort,
  hide: tableFields.hide,
  /** The group in the drawer: its id, or `new`. */
  open: text(),
} as const;

export type GroupsSearch = SearchValues<typeof FIELDS>;

export const groupsSearch = searchOf(FIELDS);
