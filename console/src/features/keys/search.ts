// What the list of keys keeps in its address.

import { flag, integer, oneOf, searchOf, tableFields, text } from "@/lib/search";

export const readKeysSearch = searchOf({
  ...tableFields,
  /** A part of the name, or the whole shown beginning of the key. */
  search: text(),
  status: oneOf(["working", "paused"]),
  /** Whose: absent is one's own, 0 everybody's (for administrators). */
  user_id: integer(0),
  /** The drawer that makes a key is open. */
  new: flag(),
  /** It begins with this key's settings. */
  copy: integer(1),
});

export type KeysSearch = ReturnType<typeof readKeysSearch>;
