// What rules, severities and events are called.

import type { Tone } from "@/ui/StatusBadge";
import type { Incident, IncidentEvent } from "./api";

export const RULE_TEXT = {
  channel_down: "incidents.rule.channel_down",
  key_refused: "incidents.rule.key_refused",
  model_unserved: "incidents.rule.model_unserved",
  error_rate: "incidents.rule.error_rate",
  model_error_rate: "incidents.rule.model_error_rate",
  slow_first_byte: "incidents.rule.slow_first_byte",
  spend_anomaly: "incidents.rule.spend_anomaly",
  redis_lost: "incidents.rule.redis_lost",
  database_lost: "incidents.rule.database_lost",
  journal_filling: "incidents.rule.journal_filling",
  settlement_backlog: "incidents.rule.settlement_backlog",
  node_lost: "incidents.rule.node_lost",
  disk_low: "incidents.rule.disk_low",
  certificate_expiring: "incidents.rule.certificate_expiring",
  payment_flagged: "incidents.rule.payment_flagged",
  reservation_exceeded: "incidents.rule.reservation_exceeded",
} as const satisfies Record<Incident["rule"], string>;

export type Rule = keyof typeof RULE_TEXT;
export const RULES = Object.keys(RULE_TEXT) as Rule[];

export function isRule(rule: string): rule is Rule {
  return rule in RULE_TEXT;
}

export const EVENT_TEXT = {
  opened: "incidents.event.opened",
  notified: "incidents.event.notified",
  notify_failed: "incidents.event.notify_failed",
  acknowledged: "incidents.event.acknowledged",
  note: "incidents.event.note",
  drained: "incidents.event.drained",
  stopped: "incidents.event.stopped",
  resumed: "incidents.event.resumed",
  reordered: "incidents.event.reordered",
  attempts_raised: "incidents.event.attempts_raised",
  paused: "incidents.event.paused",
  unpaused: "incidents.event.unpaused",
  recovered: "incidents.event.recovered",
  resolved: "incidents.event.resolved",
} as const satisfies Record<IncidentEvent["kind"], string>;

export type EventKind = keyof typeof EVENT_TEXT;

export function isEventKind(kind: string): kind is EventKind {
  return kind in EVENT_TEXT;
}

/** How an incident stands: closed ones are calm whatever they were. */
export function toneOf({ state, severity }: Pick<Incident, "state" | "severity">): Tone {
  if (state === "closed") {
    return "good";
  }
  return severity === "critical" ? "bad" : "warning";
}
