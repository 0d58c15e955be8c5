import { Button, Group, Stack } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
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
      <Group>
        <Button
          component={Link}
          to="/console/logs"
          variant="subtle"
          size="compact-sm"
          leftSection={<IconArrowLeft size={16} />}
        >
          {t("logs.title")}
        </Button>
      </Group>
      <PageHead title={t("logs.one")} description={t("logs.oneText")} />
      <DataRegion query={call} skeletonHeight={480}>
        {(data) => <CallDetail call={data} />}
      </DataRegion>
    </Stack>
  );
}
