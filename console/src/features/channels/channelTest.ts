// A channel's test as the gateway streams it: a report for each step, then a verdict.

import type { Schema } from "@/api/management";
import { streamEvents } from "@/api/stream";
import type { StepName, StepReport } from "@/records/TestStepItem";
import type { Trial } from "./api";

export type Verdict = Schema<"TestVerdict">;

/** In their order. */
export const STEPS: readonly StepName[] = [
  "resolve",
  "connect",
  "tls",
  "authenticate",
  "list_models",
  "reply",
  "stream",
  "cost",
];

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
