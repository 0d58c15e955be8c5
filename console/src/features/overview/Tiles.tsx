import { Group, Paper, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { nanosOf } from "@/lib/money";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { Money } from "@/ui/Money";
import { Sparkline } from "@/ui/Sparkline";
import { hoursQuery, type Scope, type Sums, type Today, todayQuery } from "./api";
import { byHour, change, errorShare } from "./figures";
import classes from "./overview.module.css";

const SHARE = { style: "percent", maximumFractionDigits: 1 } as const;
const MILLISECONDS = { style: "unit", unit: "millisecond", maximumFractionDigits: 0 } as const;

/** Four figures of today, each beside yesterday at the same time, with its last 24 hours. */
export function Tiles({ scope }: { scope: Scope }) {
  const today = useQuery(todayQuery(scope));
  return (
    <DataRegion query={today} skeletonHeight={120}>
      {(figures) => <Grid figures={figures} scope={scope} />}
    </DataRegion>
  );
}

function Grid({ figures: { today, yesterday }, scope }: { figures: Today; scope: Scope }) {
  const { t } = useTranslation();
  const usd = (sums: Sums) => Number(nanosOf(sums.charge_usd));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <Tile
        name={t("overview.spend")}
        link={<TileLink to="/console/usage">{t("overview.spend")}</TileLink>}
        value={<Money usd={today.charge_usd} />}
        before={<Money usd={yesterday.charge_usd} />}
        change={change(usd(today), usd(yesterday))}
        line={<Line scope={scope} label={t("overview.spendLine")} value={usd} />}
      />
      <Tile
        name={t("overview.requests")}
        link={<TileLink to="/console/logs">{t("overview.requests")}</TileLink>}
        value={<Count value={today.requests} />}
        before={<Count value={yesterday.requests} />}
        change={change(today.requests, yesterday.requests)}
        line={
          <Line scope={scope} label={t("overview.requestsLine")} value={(sums) => sums.requests} />
        }
      />
      <Tile
        name={t("overview.errors")}
        link={
          <TileLink to="/console/logs" search={{ status_class: "failure" }}>
            {t("overview.errors")}
          </TileLink>
        }
        value={
          <Count value={errorShare(today)} format={SHARE} reason={t("overview.noCallsToday")} />
        }
        before={
          <Count value={errorShare(yesterday)} format={SHARE} reason={t("overview.noCalls")} />
        }
        line={
          <Line scope={scope} label={t("overview.errorsLine")} value={errorShare} empty={null} />
        }
      />
      <Tile
        name={t("overview.firstByte")}
        link={<TileLink to="/console/usage">{t("overview.firstByte")}</TileLink>}
        value={
          <Count
            value={today.first_byte_ms.p95}
            format={MILLISECONDS}
            reason={t("overview.noCallsToday")}
          />
        }
        before={
          <Count
            value={yesterday.first_byte_ms.p95}
            format={MILLISECONDS}
            reason={t("overview.noCalls")}
          />
        }
        line={
          <Line
            scope={scope}
            label={t("overview.firstByteLine")}
            value={(sums) => sums.first_byte_ms.p95 ?? null}
            empty={null}
          />
        }
      />
    </SimpleGrid>
  );
}

interface TileProps {
  name: string;
  value: ReactNode;
  before: ReactNode;
  change?: number | null;
  line: ReactNode;
  /** Its name, which leads to what is behind the figure. */
  link: ReactNode;
}

/** The whole tile leads where its name does. */
const TileLink = createLink((props: ComponentProps<"a">) => (
  <Text component="a" size="sm" c="dimmed" {...props} className={classes.tileLink} />
));

function Tile({ name, value, before, change: by, line, link }: TileProps) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="md" component="article" className={classes.tile} aria-label={name}>
      {link}
      <Group justify="space-between" wrap="nowrap" align="flex-end" gap="sm" mt={4}>
        <Text fz={26} fw={650} lh={1.2} style={{ whiteSpace: "nowrap" }}>
          {value}
        </Text>
        {line}
      </Group>
      <Text size="xs" c="dimmed" component="div" mt={4}>
        {t("overview.yesterday")} {before}{" "}
        {by !== null && by !== undefined && (
          <Count value={by} format={{ ...SHARE, signDisplay: "exceptZero" }} />
        )}
      </Text>
    </Paper>
  );
}

interface LineProps {
  scope: Scope;
  label: string;
  value: (sums: Sums) => number | null;
  /** What an hour without calls counts as: nothing of a sum, no share and no time at all. */
  empty?: 0 | null;
}

/** The last 24 hours; nothing while they are not known. */
function Line({ scope, label, value, empty = 0 }: LineProps) {
  const { data } = useQuery(hoursQuery(scope));
  return data === undefined ? null : (
    <Sparkline
      values={byHour(data.points, data.to, value, empty)}
      label={label}
      width={84}
      height={26}
    />
  );
}
