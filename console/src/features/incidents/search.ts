// What the list of incidents keeps in its address.

import { cursorFields, oneOf, type SearchValues, searchOf, text } from "@/lib/search";

const FIELDS = {
  cursor: cursorFields.cursor,
  limit: cursorFields.limit,
  state: oneOf(["open", "closed"]),
  severity: oneOf(["warning", "critical"]),
  rule: text(),
} as const;

export const incidentsSearch = searchOf(FIELDS);

export type IncidentsSearch = SearchValues<typeof FIELDS>;
