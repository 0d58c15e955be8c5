// A channel's test as the gateway streams it: a report for each step, then a verdict.

import { streamEvents } from "@/api/stream";
import type { Trial } from "./api";

export const STEPS = [
  "resolve",
  "connect",
  "tls",
  "authenticate",
  "list_models",
  "reply",
  "stream",
  "cost",
] as const;

export type StepName = (typeof STEPS)[number];
export type Outcome = "ok" | "warning" | "failed" | "skipped";

export interface StepReport {
  step: StepName;
  outcome: Outcome;
  took_ms: number;
  detail: string;
}

export interface Verdict {
  success: boolean;
  failed_step: StepName | null;
  model: string | null;
  cost_usd: string | null;
}

/** Runs a test to its end; `onStep` hears of every step as it is done. */
export async function testChannel(
  trial: Trial,
  onStep: (report: StepReport) => void,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  let verdict: Verdict | undefined;
  const events = streamEvents("/api/channel/test", { method: "POST", body: trial, signal });
  for await (const { event, data } of events) {
    if (event === "step") {
      onStep(JSON.parse(data) as StepReport);
    } else if (event === "done") {
      verdict = JSON.parse(data) as Verdict;
    }
  }
  return verdict;
}
