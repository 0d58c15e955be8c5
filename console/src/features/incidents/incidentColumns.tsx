// The columns of the list of incidents.

import { Stack, Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/lib/duration";
import { type IncidentWords, incidentWords } from "@/said/incident";
import { Unknown } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import type { Incident } from "./api";
import { IncidentBadge } from "./IncidentBadge";

export function incidentColumns(
  t: TFunction,
  language: string,
  ruleName: (rule: string) => string,
): Column<Incident>[] {
  return [
    {
      id: "state",
      header: t("incidents.state"),
      cell: ({ row: { original } }) => <IncidentBadge incident={original} />,
    },
    {
      id: "title",
      header: t("incidents.what"),
      cell: ({ row: { original } }) => (
        <What id={original.id} words={incidentWords(t, language, original)} />
      ),
    },
    {
      id: "rule",
      header: t("incidents.rule"),
      cell: ({ row: { original } }) => ruleName(original.rule),
    },
    {
      id: "opened_at",
      header: t("incidents.openedAt"),
      cell: ({ row: { original } }) => <Time at={original.opened_at} />,
    },
    {
      id: "lasted",
      header: t("incidents.lasted"),
      meta: { align: "end" },
      cell: ({ row: { original } }) => <Lasted incident={original} />,
    },
    {
      id: "closed_by",
      header: t("incidents.closedBy"),
      cell: ({ row: { original } }) => closedBy(t, original),
    },
  ];
}

function What({ id, words }: { id: number; words: IncidentWords }) {
  return (
    <Stack gap={0} miw={220} maw={460}>
      <RouterAnchor
        to="/console/incidents/$id"
        params={{ id: String(id) }}
        size="sm"
        underline="hover"
        style={{ overflowWrap: "anywhere" }}
      >
        {words.title}
      </RouterAnchor>
      <Text size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
        {words.summary}
      </Text>
    </Stack>
  );
}

function Lasted({ incident }: { incident: Incident }) {
  const { t, i18n } = useTranslation();
  if (incident.closed_at === null || incident.closed_at === undefined) {
    return <Unknown reason={t("incidents.stillOpen")} />;
  }
  const seconds = (Date.parse(incident.closed_at) - Date.parse(incident.opened_at)) / 1_000;
  return formatDuration(seconds, i18n.language);
}

/** Who closed it; nobody where it recovered. */
export function closedBy(t: TFunction, incident: Incident) {
  if (incident.state === "open") {
    return <Unknown reason={t("incidents.stillOpen")} />;
  }
  return incident.closed_by ?? t("incidents.byItself");
}
