// What follows a successful sign-in: the session begins and the wanted page opens, or the second step.

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { safeNext } from "@/session/guard";
import { beginSession } from "@/session/session";
import { needsCode, type SignedIn } from "@/session/signIn";

declare module "@tanstack/history" {
  interface HistoryState {
    /** When the second step of a sign-in ends, RFC 3339. */
    codeUntil?: string;
  }
}

/** Takes the server's answer to any kind of sign-in. */
export function useEnter(next: string | undefined): (answer: SignedIn) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  return (answer) => {
    if (needsCode(answer)) {
      void navigate({
        to: "/login/2fa",
        search: next === undefined ? {} : { next },
        state: { codeUntil: answer.expires_at },
      });
      return;
    }
    beginSession(client, answer);
    router.history.push(safeNext(next));
  };
}
