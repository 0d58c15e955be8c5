// The page's part of the address as state: reading is typed by the route's `validateSearch`, writing
// merges and drops what is absent, so that a default leaves no trace in the address.

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

interface WriteOptions {
  /** Adds a step that "back" returns to; typing into a filter does not. */
  push?: boolean;
}

export type WriteSearch<S> = (
  patch: { [K in keyof S]?: S[K] | undefined },
  options?: WriteOptions,
) => void;

/** `const [search, setSearch] = useUrlState<Search>()` in any component of the page. */
export function useUrlState<S extends object>(): [S, WriteSearch<S>] {
  // Typed by the caller: the component may be drawn by several routes.
  const search = useSearch({ strict: false } as never) as unknown as S;
  const navigate = useNavigate();
  const write: WriteSearch<S> = useCallback(
    (patch, { push = false } = {}) => {
      void navigate({
        to: ".",
        search: ((before: S) => withoutAbsent({ ...before, ...patch })) as never,
        replace: !push,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [search, write];
}

function withoutAbsent(search: object): object {
  return Object.fromEntries(
    Object.entries(search).filter(
      ([, value]) => value !== undefined && value !== "" && value !== false,
    ),
  );
}
