// The thread that the page shows: named by the address, loaded from the store, and saved on every settled
// state of the conversation.

import { useCallback, useEffect, useRef } from "react";
import type { Turn } from "../model/conversation";
import type { Settings } from "../model/settings";
import type { ThreadStore } from "../threads/store";
import { newThread, type Thread } from "../threads/thread";

export interface CurrentThread {
  /** Writes the conversation's state; the first message makes the thread. */
  save: (turns: Turn[], settings: Settings) => void;
  /** Notes that the page shows this thread, or none. */
  show: (id: string | undefined) => void;
}

export function useCurrentThread(
  id: string | undefined,
  store: ThreadStore,
  onLoaded: (thread: Thread | undefined) => void,
  onNamed: (id: string) => void,
): CurrentThread {
  const shown = useRef<string>(undefined);
  // Saves happen one after the other, so that a later state is never overwritten by an earlier one.
  const queue = useRef(Promise.resolve());
  const loaded = useRef(onLoaded);
  loaded.current = onLoaded;
  const named = useRef(onNamed);
  named.current = onNamed;

  useEffect(() => {
    if (id === shown.current) {
      return;
    }
    shown.current = id;
    if (id === undefined) {
      loaded.current(undefined);
      return;
    }
    void store.get(id).then((thread) => {
      if (shown.current === id) {
        loaded.current(thread);
      }
    });
  }, [id, store]);

  const save = useCallback(
    (turns: Turn[], settings: Settings) => {
      const current = shown.current;
      if (current === undefined) {
        const thread = newThread(settings, turns);
        shown.current = thread.id;
        queue.current = queue.current.then(() => store.put(thread));
        named.current(thread.id);
        return;
      }
      queue.current = queue.current.then(async () => {
        const kept = (await store.get(current)) ?? { ...newThread(settings, turns), id: current };
        await store.put({ ...kept, turns, settings, updatedAt: Date.now() });
      });
    },
    [store],
  );
  const show = useCallback((next: string | undefined) => {
    shown.current = next;
  }, []);
  return { save, show };
}
