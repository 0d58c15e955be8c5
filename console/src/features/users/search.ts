// What the user pages keep in their addresses.

import {
  cursorFields,
  integer,
  oneOf,
  type SearchValues,
  searchOf,
  tableFields,
  text,
} from "@/lib/search";

const LIST_FIELDS = {
  ...tableFields,
  search: text(),
  role: oneOf(["1", "10", "100"]),
  status: oneOf(["1", "2"]),
  group: text(),
  /** The drawer that makes a user, or the dialog that imports many. */
  open: oneOf(["new", "import"]),
} as const;

export type UsersSearch = SearchValues<typeof LIST_FIELDS>;

export const usersSearch = searchOf(LIST_FIELDS);

export const SECTIONS = ["profile", "keys", "usage", "orders", "sessions", "audit"] as const;

const USER_FIELDS = {
  section: oneOf(SECTIONS),
  p: integer(1),
  page_size: integer(1),
  cursor: cursorFields.cursor,
  limit: cursorFields.limit,
} as const;

export type UserSearch = SearchValues<typeof USER_FIELDS>;

export const userSearch = searchOf(USER_FIELDS);
