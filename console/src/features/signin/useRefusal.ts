// Why a sign-in was refused, in the reader's language, and how long the next try is locked.

import { useInterval } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { RequestFailure } from "@/api/failure";

const TEXTS = {
  login_failed: "signin.refused.login",
  code_wrong: "signin.refused.code",
  flow_expired: "signin.refused.flow",
  passkey_refused: "signin.refused.passkey",
  passkeys_unavailable: "signin.refused.noPasskeys",
  account_disabled: "signin.refused.disabled",
  email_domain: "signin.refused.emailDomain",
} as const;

export interface Refusal {
  /** Nothing while there is no failure. */
  text: string | undefined;
  /** Seconds until another try is taken; 0 while none is locked. */
  lockedFor: number;
}

/** The text of a failed try; counts a lock down. */
export function useRefusal(failure: Error | undefined): Refusal {
  const { t } = useTranslation();
  const lockedFor = useLock(failure);
  if (failure === undefined) {
    return { text: undefined, lockedFor: 0 };
  }
  if (!(failure instanceof RequestFailure)) {
    // What the browser itself refused: a passkey dialog that was closed, for example.
    return { text: t("signin.refused.browser"), lockedFor: 0 };
  }
  if (lockedFor > 0) {
    return { text: t("signin.refused.locked", { count: lockedFor }), lockedFor };
  }
  const { code = "", detail } = failure.context;
  const known = code in TEXTS ? TEXTS[code as keyof typeof TEXTS] : undefined;
  const text =
    known === undefined ? (detail ?? t("ui.noAnswer", { path: failure.path })) : t(known);
  return { text: failure.context.retryAfter === undefined ? text : undefined, lockedFor };
}

function useLock(failure: Error | undefined): number {
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(0);
  const wait = failure instanceof RequestFailure ? failure.context.retryAfter : undefined;
  useEffect(() => {
    const at = Date.now();
    setNow(at);
    setUntil(failure === undefined || wait === undefined ? 0 : at + wait * 1_000);
  }, [failure, wait]);
  const { start, stop } = useInterval(() => setNow(Date.now()), 1_000);
  useEffect(() => {
    if (until > 0) {
      start();
    }
    return stop;
  }, [until, start, stop]);
  return Math.max(0, Math.ceil((until - now) / 1_000));
}
