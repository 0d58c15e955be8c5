// Whether the gateway takes calls right now, asked from its readiness probe.

import type { Texts } from "./texts";

export type Readiness = "ready" | "notReady" | "unreachable";

/** The text of each state, by name, so that a change of language can redraw it. */
export const READINESS_TEXT = {
  ready: "statusReady",
  notReady: "statusNotReady",
  unreachable: "statusUnreachable",
} as const satisfies Record<Readiness, keyof Texts>;

const TIMEOUT_MS = 5_000;

/** 200 is ready; 503 is the gateway's own "not yet"; anything else is not the gateway speaking. */
export async function askReadiness(): Promise<Readiness> {
  try {
    const answer = await fetch("/readyz", {
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.ok) {
      return "ready";
    }
    return answer.status === 503 ? "notReady" : "unreachable";
  } catch {
    return "unreachable";
  }
}
