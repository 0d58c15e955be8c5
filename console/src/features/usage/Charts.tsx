import { SegmentedControl, SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatUsd } from "@/lib/money";
import { DataRegion } from "@/ui/DataRegion";
import { useUrlState } from "@/ui/useUrlState";
import { type Question, seriesQuery } from "./api";
import { ChartCard } from "./ChartCard";
import {
  type ChartSeries,
  latencyChart,
  type Point,
  requestsChart,
  spendChart,
  tokensChart,
} from "./chartData";
import { nameOf } from "./groupTexts";
import { logSearch } from "./links";
import type { Group, UsageSearch } from "./search";

/** Spend by group, requests, tokens, times. */
export function Charts({ question, by }: { question: Question; by: Group }) {
  const { t, i18n } = useTranslation();
  const card = useCard(by);
  const grouped = useQuery(seriesQuery(question, by));
  const series = useQuery(seriesQuery(question, undefined));
  const number = new Intl.NumberFormat(i18n.language);
  const count = (exact: string) => number.format(BigInt(exact));
  const texts = {
    answered: t("usage.answered"),
    failed: t("usage.failed"),
    input: t("usage.input"),
    cached: t("usage.cached"),
    cacheWrite: t("usage.cacheWrite"),
    output: t("usage.outputPlain"),
    reasoning: t("usage.reasoning"),
  };
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <DataRegion query={grouped} skeletonHeight={320}>
        {(data) => (
          <ChartCard
            {...card("spend")}
            title={t("usage.spend")}
            kind="bar"
            data={spendChart(data, (key, name) => nameOf(t, key, name), t("usage.other"))}
            format={(value) => formatUsd(value.toFixed(9), i18n.language)}
            formatExact={(usd) => `$${usd}`}
          />
        )}
      </DataRegion>
      <DataRegion query={series} skeletonHeight={320}>
        {(data) => (
          <ChartCard
            {...card("requests")}
            title={t("usage.requests")}
            kind="bar"
            data={requestsChart(data, texts)}
            format={(value) => number.format(value)}
            formatExact={count}
          />
        )}
      </DataRegion>
      <DataRegion query={series} skeletonHeight={320}>
        {(data) => (
          <ChartCard
            {...card("tokens")}
            title={t("usage.tokens")}
            kind="bar"
            data={tokensChart(data, texts)}
            format={(value) => number.format(value)}
            formatExact={count}
          />
        )}
      </DataRegion>
      <Latency question={question} card={card("latency")} />
    </SimpleGrid>
  );
}

type Card = ReturnType<ReturnType<typeof useCard>>;

function Latency({ question, card }: { question: Question; card: Card }) {
  const { t, i18n } = useTranslation();
  const [what, setWhat] = useState<"total_ms" | "first_byte_ms">("first_byte_ms");
  const series = useQuery(seriesQuery(question, undefined));
  const ms = new Intl.NumberFormat(i18n.language, {
    style: "unit",
    unit: "millisecond",
    unitDisplay: "short",
  });
  return (
    <DataRegion query={series} skeletonHeight={320}>
      {(data) => (
        <ChartCard
          {...card}
          title={t("usage.latency")}
          kind="line"
          data={latencyChart(
            data,
            { p50: t("usage.p50"), p95: t("usage.p95"), p99: t("usage.p99") },
            what,
          )}
          format={(value) => ms.format(value)}
          formatExact={(exact) => ms.format(Number(exact))}
          aside={
            <SegmentedControl
              size="xs"
              aria-label={t("usage.latencyOf")}
              value={what}
              onChange={setWhat}
              data={[
                { value: "first_byte_ms", label: t("usage.firstByte") },
                { value: "total_ms", label: t("usage.total") },
              ]}
            />
          }
        />
      )}
    </DataRegion>
  );
}

/** What all charts share: chart or table by the address, and the way to the calls behind a bar. */
function useCard(by: Group) {
  const [search, setSearch] = useUrlState<UsageSearch>();
  const navigate = useNavigate();
  const tables = search.tables ?? [];
  return (id: string) => ({
    id,
    isTable: tables.includes(id),
    onTable: (isTable: boolean) => {
      const next = isTable ? [...tables, id] : tables.filter((each) => each !== id);
      setSearch({ tables: next.length === 0 ? undefined : next });
    },
    onOpen: (point: Point, series?: ChartSeries) => {
      const time = {
        from: new Date(point.at).toISOString(),
        to: new Date(point.until).toISOString(),
      };
      const group = series?.key === undefined ? undefined : { by, key: series.key };
      void navigate({ to: "/console/logs", search: logSearch(search, time, group) as never });
    },
  });
}
