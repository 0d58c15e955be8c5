// Why a channel would not take a call, in words.

import type { Explanation } from "./api";

type Reason = Explanation["excluded"][number]["reason"];

export const REASON_TEXT = {
  operation: "routing.reason.operation",
  broken: "routing.reason.broken",
  probing: "routing.reason.probing",
  cooling_down: "routing.reason.cooling_down",
  requests_per_minute: "routing.reason.requests_per_minute",
  tokens_per_minute: "routing.reason.tokens_per_minute",
  concurrency: "routing.reason.concurrency",
  changed: "routing.reason.changed",
  model_missing: "routing.reason.model_missing",
  model: "routing.reason.model",
  group: "routing.reason.group",
  draining: "routing.reason.draining",
  paused: "routing.reason.paused",
  off: "routing.reason.off",
  misconfigured: "routing.reason.misconfigured",
} as const satisfies Record<Reason, string>;

/** Reasons that the gateway's English would only say again. */
export const SAYS_ALL = new Set<Reason>(["cooling_down", "model_missing"]);
