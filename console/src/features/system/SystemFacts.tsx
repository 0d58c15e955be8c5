import { SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/lib/duration";
import { DataRegion } from "@/ui/DataRegion";
import { FactCard } from "@/ui/FactCard";
import { metricsQuery, readinessQuery, roundTripQuery } from "./api";
import { processFacts } from "./processFacts";
import type { Readiness } from "./readiness";

const SKELETON_HEIGHT = 200;

const DATABASE_TEXT = {
  ready: "system.databaseAnswers",
  databaseUnreachable: "system.databaseUnreachable",
  databaseSlow: "system.databaseSlow",
} as const satisfies Partial<Record<Readiness, string>>;

/** The probe tells about the database only when it asked it. */
function databaseText(readiness: Readiness) {
  return readiness === "stopping" || readiness === "notReady"
    ? undefined
    : DATABASE_TEXT[readiness];
}

/** `format` of the value where there is one. */
function known(value: number | undefined, format: (value: number) => string): string | undefined {
  return value === undefined ? undefined : format(value);
}

/** Database, version, running time, memory, requests and round trip. */
export function SystemFacts() {
  const { t, i18n } = useTranslation();
  const readiness = useQuery(readinessQuery);
  const roundTrip = useQuery(roundTripQuery);
  const metrics = useQuery(metricsQuery);
  const facts = processFacts(metrics.data ?? []);
  const missingMetric = t(metrics.isPending ? "region.loading" : "system.notReported");
  const format = (options: Intl.NumberFormatOptions) => (value: number) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0, ...options }).format(value);
  const megabytes = format({ style: "unit", unit: "megabyte", maximumFractionDigits: 1 });
  return (
    <DataRegion query={readiness} skeletonHeight={SKELETON_HEIGHT}>
      {(state) => {
        const database = databaseText(state);
        return (
          <SimpleGrid component="dl" m={0} cols={{ base: 2, md: 3 }}>
            <FactCard
              name={t("system.database")}
              value={database && t(database)}
              reason={t("system.notAsked")}
            />
            <FactCard name={t("system.version")} value={facts.version} reason={missingMetric} />
            <FactCard
              name={t("system.uptime")}
              value={known(facts.uptimeSeconds, (value) => formatDuration(value, i18n.language))}
              reason={missingMetric}
            />
            <FactCard
              name={t("system.memory")}
              value={known(facts.residentBytes, (bytes) => megabytes(bytes / 1_000_000))}
              reason={missingMetric}
            />
            <FactCard
              name={t("system.requests")}
              value={known(facts.requestCount, format({}))}
              reason={missingMetric}
            />
            <FactCard
              name={t("system.roundTrip")}
              value={known(roundTrip.data, format({ style: "unit", unit: "millisecond" }))}
              reason={t(roundTrip.isPending ? "region.loading" : "system.notMeasured")}
            />
          </SimpleGrid>
        );
      }}
    </DataRegion>
  );
}
