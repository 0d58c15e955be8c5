import { Paper, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { Money } from "@/ui/Money";
import { type Question, type Sums, summaryQuery } from "./api";
import { changeOf, moneyChange } from "./change";

const MS = { style: "unit", unit: "millisecond", unitDisplay: "short" } as const;
const SHARE = { style: "percent", maximumFractionDigits: 1 } as const;

/** The range in four figures, each beside the period of the same length before. */
export function SummaryTiles({ question }: { question: Question }) {
  const { t } = useTranslation();
  const summary = useQuery(summaryQuery(question));
  return (
    <DataRegion query={summary} skeletonHeight={104}>
      {({ current, previous }) => (
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
          <Tile
            label={t("usage.spend")}
            change={moneyChange(current.charge_usd, previous.charge_usd)}
          >
            <Money usd={current.charge_usd} />
          </Tile>
          <Tile label={t("usage.requests")} change={changeOf(current.requests, previous.requests)}>
            <Count value={current.requests} />
          </Tile>
          <Tile
            label={t("usage.errorShare")}
            change={changeOf(errorShare(current), errorShare(previous))}
          >
            <Count value={errorShare(current)} format={SHARE} reason={t("usage.noCalls")} />
          </Tile>
          <Tile
            label={t("usage.p95First")}
            change={changeOf(current.first_byte_ms.p95, previous.first_byte_ms.p95)}
          >
            <Count value={current.first_byte_ms.p95} format={MS} reason={t("usage.noCalls")} />
          </Tile>
        </SimpleGrid>
      )}
    </DataRegion>
  );
}

function errorShare({ requests, errors }: Sums): number | null {
  return requests === 0 ? null : errors / requests;
}

interface TileProps {
  label: string;
  change: number | undefined;
  children: ReactNode;
}

function Tile({ label, change, children }: TileProps) {
  const { t, i18n } = useTranslation();
  const percent = new Intl.NumberFormat(i18n.language, {
    style: "percent",
    signDisplay: "exceptZero",
    maximumFractionDigits: 1,
  });
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz="xl" fw={600} mt={4} style={{ overflowWrap: "anywhere" }}>
        {children}
      </Text>
      <Text size="xs" c="dimmed">
        {change === undefined
          ? t("usage.noneBefore")
          : t("usage.change", { change: percent.format(change) })}
      </Text>
    </Paper>
  );
}
