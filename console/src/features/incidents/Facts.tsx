import { Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SectionCard } from "@/ui/SectionCard";
import { Time } from "@/ui/Time";
import type { Incident } from "./api";
import { factLines } from "./facts";
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
} as const;

/** The rule and what it measured, in the gateway's own figures. */
export function Facts({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const ruleName = useRuleName();
  const lines = factLines(incident.facts as Record<string, unknown>);
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
          {lines.map(({ name, text }) => (
            <Row key={name} name={nameOf(name)}>
              {text}
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

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={96} scope="row" style={{ verticalAlign: "top", background: "none" }}>
        <Text size="sm" c="dimmed">
          {name}
        </Text>
      </Table.Th>
      <Table.Td style={{ overflowWrap: "anywhere" }}>{children}</Table.Td>
    </Table.Tr>
  );
}
