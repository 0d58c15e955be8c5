// Stands in for the dialogs that mend an interrupted call, and fetches them with the first such call:
// hardly any visit needs them.

import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { interrupts, onInterrupt } from "@/api/interrupt";

const Dialogs = lazy(() => import("./Dialogs"));

export function LazyDialogs() {
  const [isWanted, setWanted] = useState(false);
  const waiting = useRef<(() => void)[]>([]);
  useEffect(() => {
    // The dialogs register handlers of their own, which take the place of these.
    const arrived = () =>
      new Promise<void>((resolve) => {
        waiting.current.push(resolve);
        setWanted(true);
      });
    return onInterrupt({
      signInAgain: async () => {
        await arrived();
        return (await interrupts().signInAgain?.()) ?? false;
      },
      stepUp: async () => {
        await arrived();
        return (await interrupts().stepUp?.()) ?? false;
      },
    });
  }, []);
  if (!isWanted) {
    return null;
  }
  return (
    <Suspense>
      <Dialogs
        onReady={() => {
          for (const resolve of waiting.current.splice(0)) {
            resolve();
          }
        }}
      />
    </Suspense>
  );
}
