// A growing reply as a component's state.

import { useSyncExternalStore } from "react";
import type { LiveReply, LiveSnapshot } from "../send/live";

export function useLive(live: LiveReply): LiveSnapshot {
  return useSyncExternalStore(live.subscribe, live.snapshot);
}
