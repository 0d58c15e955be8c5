// What an incident says, in the reader's language: by its rule and what that measured. The gateway's own English
// is left where the rule or one of its facts is not known.

import type { TFunction } from "i18next";
import type { Schema } from "@/api/management";
import { formatUsd } from "@/lib/money";
import { orElse, type Reader, reader } from "./facts";

type Incident = Schema<"Incident">;

/** What the words are made of. */
export type Sayable = Pick<
  Incident,
  | "rule"
  | "severity"
  | "facts"
  | "model"
  | "channel"
  | "title"
  | "summary"
  | "state"
  | "is_seen"
  | "last_seen_at"
>;

export interface IncidentWords {
  title: string;
  summary: string;
}

interface Saying {
  t: TFunction;
  language: string;
  facts: Reader;
  incident: Sayable;
}

/** Names that a summary lists before it says that there are more. */
const NAMED = 5;

/** How each rule is said. */
export const INCIDENT_WORDS: Readonly<Record<Incident["rule"], (saying: Saying) => IncidentWords>> =
  {
    channel_down: (saying) => ({
      title: saying.t("said.channelDown", { channel: channelOf(saying) }),
      summary: `${reasonOf(saying)} ${consequenceOf(saying)}`,
    }),
    key_refused: (saying) => ({
      title: saying.t("said.keyRefused", {
        channel: channelOf(saying),
        lost: saying.facts.list("keys").length,
        all: saying.facts.number("all_keys"),
      }),
      summary: reasonOf(saying),
    }),
    model_unserved: ({ t, facts }) => {
      const models = facts.list("models");
      const [first = ""] = models;
      const all = facts.has("all_models") ? facts.number("all_models") : models.length;
      const more = all > NAMED ? ", …" : "";
      return {
        title: all === 1 ? t("said.unserved", { model: first }) : t("said.unservedMany", { all }),
        summary: t("said.unservedText", { models: `${models.slice(0, NAMED).join(", ")}${more}` }),
      };
    },
    error_rate: (saying) => ({
      title: saying.t("said.errorRate", { percent: saying.facts.number("percent") }),
      summary: failedOf(saying),
    }),
    model_error_rate: (saying) => ({
      title: saying.t("said.modelErrorRate", {
        percent: saying.facts.number("percent"),
        model: saying.incident.model ?? "",
      }),
      summary: failedOf(saying),
    }),
    slow_first_byte: ({ t, facts, incident }) => {
      const measured = facts.number("measured");
      return {
        title: t("said.slow", { model: incident.model ?? "" }),
        summary: facts.has("p95_ms")
          ? t("said.slowText", { seconds: Math.ceil(facts.number("p95_ms") / 1_000), measured })
          : t("said.slowestText", { measured }),
      };
    },
    spend_anomaly: ({ t, facts, language }) => ({
      title: t("said.spend"),
      summary: t("said.spendText", {
        spent: formatUsd(facts.text("spent_usd"), language),
        usual: formatUsd(facts.text("usual_usd"), language),
      }),
    }),
    redis_lost: ({ t }) => ({ title: t("said.redis"), summary: t("said.redisText") }),
    database_lost: ({ t }) => ({ title: t("said.database"), summary: t("said.databaseText") }),
    journal_filling: ({ t, facts }) => ({
      title: t("said.journal", {
        node: facts.text("node"),
        percent: Math.floor(
          (facts.number("bytes") * 100) / Math.max(1, facts.number("most_bytes")),
        ),
      }),
      summary: t("said.journalText"),
    }),
    settlement_backlog: ({ t, facts }) => ({
      title: t("said.settlement", { node: facts.text("node") }),
      summary: t("said.settlementText", {
        seconds: facts.number("writing_s"),
        waiting: facts.number("waiting"),
      }),
    }),
    node_lost: ({ t, facts, language }) => {
      const at = timeText(facts.text("last_seen_at"), language);
      return {
        title: t("said.node", { node: facts.text("node") }),
        summary: `${t("said.nodeText", { at })} ${t(facts.is("has_journal") ? "said.nodeHeld" : "said.nodeFreed")}`,
      };
    },
    disk_low: ({ t, facts }) => ({
      title: t("said.disk", { node: facts.text("node"), percent: facts.number("free_percent") }),
      summary: t("said.diskText"),
    }),
    certificate_expiring: ({ t, facts, incident, language }) => ({
      title:
        incident.severity === "critical"
          ? t("said.certificateOver")
          : t("said.certificate", { at: timeText(facts.text("ends_at"), language) }),
      summary: t("said.certificateText"),
    }),
    payment_flagged: ({ t, facts }) => {
      const order = facts.text("order_id");
      if (!facts.has("dispute")) {
        return { title: t("said.fraud", { order }), summary: t("said.fraudText") };
      }
      const isNoted = facts.text("state") === "noted";
      return {
        title: t("said.dispute", { order }),
        summary: t(isNoted ? "said.disputeNoted" : "said.disputeHeld"),
      };
    },
    reservation_exceeded: ({ t, facts }) => ({
      title: t("said.exceeded"),
      summary: t("said.exceededText", {
        calls: facts.number("calls"),
        excess: facts.text("excess_usd"),
        model: facts.text("model"),
        loss: facts.text("loss_usd"),
      }),
    }),
  };

/** The headline and what is known. */
export function incidentWords(t: TFunction, language: string, incident: Sayable): IncidentWords {
  const { rule, title, summary } = incident;
  const word = rule in INCIDENT_WORDS ? INCIDENT_WORDS[rule] : undefined;
  const facts = reader(incident.facts as Record<string, unknown>);
  const said = { title, summary };
  const words = orElse(() => word?.({ t, language, facts, incident }) ?? said, said);
  return isFading(incident)
    ? { ...words, summary: `${fadingText(t, language, incident)} ${words.summary}` }
    : words;
}

/** Whether it is open only because it has not been over for long enough. */
function isFading({ state, is_seen }: Sayable): boolean {
  return state === "open" && !is_seen;
}

function fadingText(t: TFunction, language: string, { last_seen_at }: Sayable): string {
  const at = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  return t("said.fading", { at: at.format(Date.parse(last_seen_at)) });
}

/** Its name then; that of now for incidents from before it was noted. */
function channelOf({ facts, incident: { channel } }: Saying): string {
  return facts.has("channel") || !channel ? facts.text("channel") : channel;
}

/** What was heard of the upstream, as a sentence. */
function reasonOf({ t, facts }: Saying): string {
  const reason = facts.text("reason").trim().replace(/\.$/, "");
  return t("said.reason", { reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}` });
}

function consequenceOf({ t, facts }: Saying): string {
  const [first, ...others] = facts.list("unserved_models");
  if (first === undefined) {
    return t("said.covered");
  }
  return others.length === 0
    ? t("said.uncovered", { model: first })
    : t("said.uncoveredMany", { all: others.length + 1 });
}

function failedOf({ t, facts }: Saying): string {
  return t("said.failed", { failed: facts.number("failed"), calls: facts.number("calls") });
}

function timeText(at: string, language: string): string {
  const style = { dateStyle: "medium", timeStyle: "short" } as const;
  return new Intl.DateTimeFormat(language, style).format(Date.parse(at));
}
