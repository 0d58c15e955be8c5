// The threads of the signed-in user: one store for the life of the page.

import { useState, useSyncExternalStore } from "react";
import { ThreadStore, type ThreadsSnapshot } from "../threads/store";

export function useThreads(userId: number): [ThreadsSnapshot, ThreadStore] {
  const [store] = useState(() => new ThreadStore(userId));
  return [useSyncExternalStore(store.subscribe, store.snapshot), store];
}
