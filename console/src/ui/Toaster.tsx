// The corner that short messages appear in. Its code comes with the first message: no page needs it before.

import { lazy, Suspense, useSyncExternalStore } from "react";

const Notifications = lazy(async () => ({
  default: (await import("@mantine/notifications")).Notifications,
}));

let isWanted = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Makes room for messages. */
export function openToaster(): void {
  isWanted = true;
  for (const listener of listeners) {
    listener();
  }
}

export function Toaster() {
  const isOpen = useSyncExternalStore(subscribe, () => isWanted);
  return isOpen ? (
    <Suspense>
      <Notifications position="bottom-right" limit={4} />
    </Suspense>
  ) : null;
}
