import { Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PageHead } from "@/ui/PageHead";
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
      />
      <SystemFacts />
      <SystemGround />
      <MetricTable filter={filter} onFilterChange={onFilterChange} />
    </Stack>
  );
}
