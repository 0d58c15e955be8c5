// One incident: what is known, what was done, and what can be done.

import { Grid, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { incidentWords } from "@/said/incident";
import { BackButton } from "@/ui/BackButton";
import { DataRegion } from "@/ui/DataRegion";
import { LaterTexts } from "@/ui/LaterTexts";
import { PageHead } from "@/ui/PageHead";
import { Affected } from "./Affected";
import { type IncidentDetail, incidentQuery } from "./api";
import { Causes } from "./Causes";
import { ChannelActs } from "./ChannelActs";
import { Facts } from "./Facts";
import { IncidentActs } from "./IncidentActs";
import { IncidentBadge } from "./IncidentBadge";
import { NoteForm } from "./NoteForm";
import { Timeline } from "./Timeline";

export function IncidentPage({ id }: { id: number }) {
  const { t } = useTranslation();
  const incident = useQuery(incidentQuery(id));
  return (
    <Stack gap="md">
      <BackButton to="/console/incidents">{t("incidents.title")}</BackButton>
      <DataRegion query={incident} skeletonHeight={560}>
        {(detail) => (
          <LaterTexts>
            <Page detail={detail} />
          </LaterTexts>
        )}
      </DataRegion>
    </Stack>
  );
}

function Page({ detail }: { detail: IncidentDetail }) {
  const { t, i18n } = useTranslation();
  const { incident, timeline, affected, causes } = detail;
  const { title, summary } = incidentWords(t, i18n.language, incident);
  return (
    <Stack gap="lg">
      <PageHead title={title} description={summary} aside={<IncidentBadge incident={incident} />} />
      <IncidentActs detail={detail} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="lg">
            {typeof incident.channel_id === "number" && (
              <ChannelActs channelId={incident.channel_id} incident={incident} />
            )}
            <Causes causes={causes} />
            <Timeline incident={incident} events={timeline}>
              <NoteForm incidentId={incident.id} />
            </Timeline>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg">
            <Facts incident={incident} />
            <Affected affected={affected} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}
