import { Paper, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { BackButton } from "@/ui/BackButton";
import { DataRegion } from "@/ui/DataRegion";
import { PageHead } from "@/ui/PageHead";
import { callQuery } from "./api";
import { CallDetail } from "./CallDetail";

/** One call on a page of its own, for a link that somebody was given. */
export function LogPage({ requestId }: { requestId: string }) {
  const { t } = useTranslation();
  const call = useQuery(callQuery(requestId));
  return (
    <Stack gap="lg" maw={960}>
      <BackButton to="/console/logs">{t("logs.title")}</BackButton>
      <PageHead title={t("logs.one")} description={t("logs.oneText")} />
      <DataRegion query={call} skeletonHeight={480}>
        {(data) => (
          <Paper withBorder p="lg">
            <CallDetail call={data} />
          </Paper>
        )}
      </DataRegion>
    </Stack>
  );
}
