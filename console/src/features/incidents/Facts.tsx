import { Group, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { SectionCard } from "@/ui/SectionCard";
import { Time } from "@/ui/Time";
import type { Incident } from "./api";
import { type FactLine, factLines } from "./facts";
import { closedBy } from "./incidentColumns";
import { useRuleName } from "./useRuleName";

const FACT_TEXT = {
  reason: "incidents.fact.reason",
  provider: "incidents.fact.provider",
  models: "incidents.fact.models",
  unserved_models: "incidents.fact.unserved_models",
  keys: "incidents.fact.keys",
  channels: "incidents.fact.channels",
  calls: "incidents.fact.calls",
  failed: "incidents.fact.failed",
  percent: "incidents.fact.percent",
  measured: "incidents.fact.measured",
  p95_ms: "incidents.fact.p95_ms",
  node: "incidents.fact.node",
  free_bytes: "incidents.fact.free_bytes",
  free_percent: "incidents.fact.free_percent",
  waiting: "incidents.fact.waiting",
  writing_s: "incidents.fact.writing_s",
  bytes: "incidents.fact.bytes",
  most_bytes: "incidents.fact.most_bytes",
  ends_at: "incidents.fact.ends_at",
  spent_usd: "incidents.fact.spent_usd",
  usual_usd: "incidents.fact.usual_usd",
  users: "incidents.fact.users",
  version: "incidents.fact.version",
  last_seen_at: "incidents.fact.last_seen_at",
  has_journal: "incidents.fact.has_journal",
  channel: "incidents.channel",
  order_id: "incidents.fact.order_id",
  user_id: "incidents.fact.user_id",
  amount: "incidents.fact.amount",
  dispute: "incidents.fact.dispute",
} as const;

/** The rule and what it measured, in the gateway's own figures. */
export function Facts({ incident }: { incident: Incident }) {
  const { t, i18n } = useTranslation();
  const ruleName = useRuleName();
  const lines = factLines(incident.facts as Record<string, unknown>, i18n.language);
  const nameOf = (name: string) =>
    name in FACT_TEXT ? t(FACT_TEXT[name as keyof typeof FACT_TEXT]) : name;
  return (
    <SectionCard title={t("incidents.facts")}>
      <Table
        variant="vertical"
        layout="fixed"
        withRowBorders={false}
        verticalSpacing={4}
        horizontalSpacing={4}
      >
        <Table.Tbody>
          <Row name={t("incidents.rule")}>{ruleName(incident.rule)}</Row>
          {lines.map((line) => (
            <Row key={line.name} name={nameOf(line.name)}>
              <Fact line={line} />
            </Row>
          ))}
          <Row name={t("incidents.openedAt")}>
            <Time at={incident.opened_at} precision="second" />
          </Row>
          <Row name={t("incidents.lastSeen")}>
            <Time at={incident.last_seen_at} precision="second" />
          </Row>
          {incident.acknowledged_by && (
            <Row name={t("incidents.acknowledgedBy")}>{incident.acknowledged_by}</Row>
          )}
          {incident.state === "closed" && (
            <Row name={t("incidents.closedBy")}>{closedBy(t, incident)}</Row>
          )}
          <Row name={t("incidents.node")}>{incident.node}</Row>
        </Table.Tbody>
      </Table>
    </SectionCard>
  );
}

/** Each model leads to why calls for it go where they go. */
function Fact({ line: { name, text, models } }: { line: FactLine }) {
  const { t } = useTranslation();
  if (name === "has_journal") {
    return t("incidents.fact.yes");
  }
  if (models === undefined) {
    return text;
  }
  return (
    <Group gap={6}>
      {models.shown.map((model) => (
        <RouterAnchor
          key={model}
          to="/console/routing"
          search={{ model }}
          size="sm"
          title={t("incidents.toRouting")}
          style={{ overflowWrap: "anywhere" }}
        >
          <bdi>{model}</bdi>
        </RouterAnchor>
      ))}
      {models.more > 0 && <Text size="sm">{`+${models.more}`}</Text>}
    </Group>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={112} scope="row" style={{ verticalAlign: "top", background: "none" }}>
        <Text size="sm" c="dimmed">
          {name}
        </Text>
      </Table.Th>
      <Table.Td style={{ overflowWrap: "anywhere" }}>{children}</Table.Td>
    </Table.Tr>
  );
}
