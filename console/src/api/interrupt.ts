// What may stand between a call and its answer: a session that has ended, or a step-up check. The
// dialogs that can mend either register here; the client waits for them and sends the call again.

export interface Interrupts {
  /** Resolves to whether somebody is signed in again. */
  signInAgain: () => Promise<boolean>;
  /** Resolves to whether the person has confirmed who they are. */
  stepUp: () => Promise<boolean>;
}

let registered: Partial<Interrupts> = {};

/** Registers what mends an interruption; returns how to take it back. */
export function onInterrupt(handlers: Partial<Interrupts>): () => void {
  registered = { ...registered, ...handlers };
  return () => {
    const kept = Object.entries(registered).filter(
      ([name, handler]) => handlers[name as keyof Interrupts] !== handler,
    );
    registered = Object.fromEntries(kept);
  };
}

/** The handlers of this moment. */
export function interrupts(): Partial<Interrupts> {
  return registered;
}
