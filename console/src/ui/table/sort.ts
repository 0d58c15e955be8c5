// The sort order as it stands in the address: `name` upwards, `-name` downwards.

import type { SortingState } from "@tanstack/react-table";

/** For the table's state. */
export function readSort(sort: string | undefined): SortingState {
  if (sort === undefined) {
    return [];
  }
  return sort.startsWith("-") ? [{ id: sort.slice(1), desc: true }] : [{ id: sort, desc: false }];
}

/** What a press on the header makes of it: upwards, downwards, then none. */
export function writeSort(id: string, current: false | "asc" | "desc"): string | undefined {
  switch (current) {
    case false:
      return id;
    case "asc":
      return `-${id}`;
    default:
      return undefined;
  }
}
