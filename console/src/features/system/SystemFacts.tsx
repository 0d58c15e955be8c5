import { SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/lib/duration";
import { DataRegion } from "@/ui/DataRegion";
import { FactCard } from "@/ui/FactCard";
import { livenessQuery, readinessQuery } from "./api";

const SKELETON_HEIGHT = 92;

/** Version, time since start, database and answer time. */
export function SystemFacts() {
  const { t, i18n } = useTranslation();
  const readiness = useQuery(readinessQuery);
  const liveness = useQuery(livenessQuery);
  const milliseconds = new Intl.NumberFormat(i18n.language, {
    style: "unit",
    unit: "millisecond",
    maximumFractionDigits: 0,
  });
  return (
    <DataRegion query={readiness} skeletonHeight={SKELETON_HEIGHT}>
      {(facts) => (
        <SimpleGrid component="dl" m={0} cols={{ base: 2, lg: 4 }}>
          <FactCard
            name={t("system.version")}
            value={facts.version}
            reason={t("system.notReported")}
          />
          <FactCard
            name={t("system.uptime")}
            value={
              facts.uptimeSeconds === undefined
                ? undefined
                : formatDuration(facts.uptimeSeconds, i18n.language)
            }
            reason={t("system.notReported")}
          />
          <FactCard
            name={t("system.database")}
            value={facts.databaseEngine}
            reason={t("system.notReported")}
          />
          <FactCard
            name={t("system.answerTime")}
            value={
              liveness.data === undefined
                ? undefined
                : milliseconds.format(liveness.data.answeredInMs)
            }
            reason={t("system.notMeasured")}
          />
        </SimpleGrid>
      )}
    </DataRegion>
  );
}
