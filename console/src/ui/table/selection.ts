// Which rows are selected: some by id, or all that match the filter, however many pages they fill.

import { useState } from "react";

export interface Selection {
  /** True: every row that matches the filter, the unseen ones too. */
  isEverything: boolean;
  ids: readonly string[];
  isSelected: (id: string) => boolean;
  isPageSelected: (page: readonly string[]) => boolean;
  isPagePartly: (page: readonly string[]) => boolean;
  toggle: (id: string) => void;
  togglePage: (page: readonly string[]) => void;
  selectEverything: () => void;
  clear: () => void;
}

/** Selection lives as long as the page is open: it is no view that one would share. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [isEverything, setEverything] = useState(false);
  const isSelected = (id: string) => isEverything || ids.includes(id);
  const choose = (chosen: readonly string[]) => {
    setEverything(false);
    setIds(chosen);
  };
  return {
    isEverything,
    ids,
    isSelected,
    isPageSelected: (page) => page.length > 0 && page.every(isSelected),
    isPagePartly: (page) => page.some(isSelected) && !page.every(isSelected),
    toggle: (id) => choose(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]),
    togglePage: (page) => {
      const rest = ids.filter((id) => !page.includes(id));
      choose(page.every(isSelected) ? rest : [...rest, ...page]);
    },
    selectEverything: () => setEverything(true),
    clear: () => choose([]),
  };
}
