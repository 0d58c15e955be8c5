import { Stack } from "@mantine/core";
import { IconHistory, IconProgress } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { PageHead } from "@/ui/PageHead";
import { RouterButton } from "@/ui/RouterButton";
import { MetricTable, type MetricTableProps } from "./MetricTable";
import { ReadinessBadge } from "./ReadinessBadge";
import { SystemFacts } from "./SystemFacts";
import { SystemGround } from "./SystemGround";

/** Live facts about the gateway that serves this page. */
export function SystemPage({ filter, onFilterChange }: MetricTableProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="lg" maw={1080}>
      <PageHead
        title={t("system.title")}
        description={t("system.text")}
        aside={<ReadinessBadge />}
        actions={
          <>
            <RouterButton
              to="/console/audit"
              variant="default"
              leftSection={<IconHistory size={16} />}
            >
              {t("palette.audit")}
            </RouterButton>
            <RouterButton
              to="/console/tasks"
              variant="default"
              leftSection={<IconProgress size={16} />}
            >
              {t("palette.tasks")}
            </RouterButton>
          </>
        }
      />
      <SystemFacts />
      <SystemGround />
      <MetricTable filter={filter} onFilterChange={onFilterChange} />
    </Stack>
  );
}
