// What may stand between a call and its answer: a session that has ended, or a step-up check. The
// dialogs that can mend either register here; the client waits for them and sends the call again.

export interface Interrupts {
  /** Resolves to whether somebody is signed in again. */
  signInAgain: () => Promise<boolean>;
  /** Resolves to a proof for the scope, or to nothing where the person gave up. */
  stepUp: (scope: string) => Promise<string | undefined>;
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

/** What a call must be confirmed for, where it is one of those that change secrets. */
export function proofScope(method: string, path: string, body: string): string | undefined {
  switch (`${method} ${path.replace(/\d+/g, "#").replace(/\/$/, "")}`) {
    case "PUT /api/channel":
    case "POST /api/channel/#/keys":
      return "channel.key.change";
    case "PUT /api/option":
      return "settings.change";
    case "POST /api/import":
      return "import.run";
    case "POST /api/system/backup":
      return "backup.download";
    case "POST /api/user/pat":
      return "access_token.create";
    case "POST /api/user/passkey/register/begin":
    case "POST /api/user/passkey/register/finish":
      return "passkey.register";
    case "DELETE /api/user/passkey/#":
      return "passkey.delete";
    case "DELETE /api/user/self":
      return "account.delete";
    case "PUT /api/user/self":
      return body.includes('"password"') ? "password.change" : "email.change";
    default:
      return undefined;
  }
}
