// The beginning of a passkey ceremony, as the browser package wants it.

import type { startAuthentication } from "@simplewebauthn/browser";

type PasskeyOptions = Parameters<typeof startAuthentication>[0]["optionsJSON"];

/** The server writes `{"publicKey": …}`, as the browser's own interface has it. */
export function passkeyOptions(options: unknown): PasskeyOptions {
  return (options as { publicKey: PasskeyOptions }).publicKey;
}
