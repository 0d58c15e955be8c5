// Enter in the command palette means what was typed, not what an older search has found: while a
// search is under way it waits for it. It does not touch entries chosen by arrow or pointer.

import { type KeyboardEvent, useEffect, useRef } from "react";

const MARKED = "[data-action][data-selected]";

/** The marked entry; the list changes after the library marked one, so there may be none: then the first. */
function take(): void {
  const entry = document.querySelector(MARKED) ?? document.querySelector("[data-action]");
  (entry as HTMLElement | null)?.click();
}

export interface EnterProps {
  /** Set by Enter until its entry is taken; meanwhile the search need not wait for a pause in typing. */
  isAwaited: boolean;
  setAwaited: (isAwaited: boolean) => void;
  /** Whether the entries are not yet those of what was typed. */
  isBehind: boolean;
}

export function useEnter({ isAwaited, setAwaited, isBehind }: EnterProps) {
  const isChosen = useRef(false);
  useEffect(() => {
    if (isAwaited && !isBehind) {
      setAwaited(false);
      take();
    }
  }, [isAwaited, isBehind, setAwaited]);
  return {
    onTyped: () => {
      isChosen.current = false;
      setAwaited(false);
    },
    onKeyDownCapture: (event: KeyboardEvent) => {
      if (event.nativeEvent.isComposing) {
        return;
      }
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        isChosen.current = true;
      }
      if (event.key === "Enter" && !isChosen.current) {
        event.preventDefault();
        event.stopPropagation();
        setAwaited(true);
      }
    },
  };
}
