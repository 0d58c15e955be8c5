import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { Money } from "@/ui/Money";
import { SectionCard } from "@/ui/SectionCard";
import type { IncidentDetail } from "./api";

type AffectedFacts = IncidentDetail["affected"];
type Row = AffectedFacts["models"][number];

/** Whom and what it touched, counted from the log of its time. */
export function Affected({ affected }: { affected: AffectedFacts }) {
  const { t } = useTranslation();
  return (
    <SectionCard title={t("incidents.affected")} text={t("incidents.affectedText")}>
      <SimpleGrid cols={3} component="dl" m={0}>
        <Figure name={t("incidents.requests")}>
          <Count value={affected.requests} />
        </Figure>
        <Figure name={t("incidents.errors")}>
          <Count value={affected.errors} />
        </Figure>
        <Figure name={t("incidents.charged")}>
          <Money usd={affected.charge_usd} />
        </Figure>
      </SimpleGrid>
      <List title={t("incidents.models")} rows={affected.models} />
      <List title={t("incidents.channels")} rows={affected.channels} />
      <List title={t("incidents.users")} rows={affected.users} />
      <List title={t("incidents.keys")} rows={affected.tokens} />
    </SectionCard>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} fz="lg" fw={600}>
        {children}
      </Text>
    </div>
  );
}

function List({ title, rows }: { title: string; rows: readonly Row[] }) {
  const { t } = useTranslation();
  if (rows.length === 0) {
    return null;
  }
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Stack component="ul" gap={4} m={0} p={0} style={{ listStyle: "none" }}>
        {rows.map((row) => (
          <Group
            component="li"
            key={`${row.id ?? ""} ${row.name ?? ""}`}
            justify="space-between"
            wrap="nowrap"
            gap="sm"
          >
            <Text size="sm" style={{ overflowWrap: "anywhere" }} miw={0}>
              <bdi>{row.name ?? `#${row.id ?? "—"}`}</bdi>
            </Text>
            <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
              {t("incidents.errorsOf", { errors: row.errors, requests: row.requests })}
            </Text>
          </Group>
        ))}
      </Stack>
    </Stack>
  );
}
