// What the import page keeps in its address.

import { integer, type SearchValues, searchOf, text } from "@/lib/search";

const FIELDS = {
  p: integer(1),
  page_size: integer(1),
  /** The task whose progress and report are shown. */
  task: text(),
  /** The import whose report is open. */
  open: integer(1),
} as const;

export const importsSearch = searchOf(FIELDS);

export type ImportsSearch = SearchValues<typeof FIELDS>;
