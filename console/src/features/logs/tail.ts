// The live tail's rows, without React: what is shown, what waits behind the "new" bar, and that no call
// is in it twice or lost.

import type { Call } from "./api";

export interface Tail {
  /** Newest first. */
  shown: readonly Call[];
  /** Arrived while the reader had paused; newest first. */
  waiting: readonly Call[];
}

export const EMPTY_TAIL: Tail = { shown: [], waiting: [] };

/** Rows that stay in view while calls stream in; older ones are on the pages of the log. */
export const MOST_SHOWN = 300;

/** Adds arrived calls, in whatever order they came; those that are known already are left out. */
export function arrive(tail: Tail, calls: readonly Call[], isPaused: boolean): Tail {
  const known = new Set([...tail.shown, ...tail.waiting].map(({ request_id }) => request_id));
  const fresh = calls.filter(({ request_id }) => {
    const isNew = !known.has(request_id);
    known.add(request_id);
    return isNew;
  });
  if (fresh.length === 0) {
    return tail;
  }
  if (isPaused) {
    return { ...tail, waiting: newestFirst([...fresh, ...tail.waiting]) };
  }
  return { ...tail, shown: newestFirst([...fresh, ...tail.shown]).slice(0, MOST_SHOWN) };
}

/** Shows what waited: all of it, however much that is. */
export function release({ shown, waiting }: Tail): Tail {
  const room = Math.max(MOST_SHOWN, waiting.length);
  return { shown: newestFirst([...waiting, ...shown]).slice(0, room), waiting: [] };
}

/** Stable: calls of the same moment keep their order. */
function newestFirst(calls: readonly Call[]): Call[] {
  return [...calls].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}
