import { Button, ColorSwatch, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconChartBar, IconDownload, IconTable } from "@tabler/icons-react";
import { lazy, type ReactNode, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { toCsv } from "@/lib/csv";
import { downloadText } from "@/lib/download";
import type { ChartData, ChartSeries, Point } from "./chartData";

// Chart and table need a library each: only the one that is looked at is fetched.
const UsageChart = lazy(() => import("./UsageChart"));
const PointTable = lazy(async () => ({ default: (await import("./PointTable")).PointTable }));

export interface ChartCardProps {
  id: string;
  title: string;
  data: ChartData;
  kind: "bar" | "line";
  /** What a value is called by the reader, for axis and tooltip. */
  format: (value: number) => string;
  /** What an exact value is called in the table. */
  formatExact: (exact: string) => ReactNode;
  isTable: boolean;
  onTable: (isTable: boolean) => void;
  onOpen: (point: Point, series?: ChartSeries) => void;
  /** A choice beside the title. */
  aside?: ReactNode;
}

/** A chart that is also a table and a file. */
export function ChartCard(props: ChartCardProps) {
  const { id, title, data, isTable, onTable } = props;
  const { t } = useTranslation();
  const Icon = isTable ? IconChartBar : IconTable;
  const save = () => {
    const header = ["from", "to", ...data.series.map(({ label }) => label)];
    const rows = data.points.map(({ at, until, cells }) => [
      new Date(at).toISOString(),
      new Date(until).toISOString(),
      ...data.series.map((series) => cells[series.id]?.exact ?? ""),
    ]);
    downloadText(`usage-${id}.csv`, toCsv(header, rows), "text/csv");
  };
  return (
    <Paper withBorder p="md" component="section" aria-label={title} miw={0}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h5">
            {title}
          </Title>
          <Group gap="xs">
            {props.aside}
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon size={15} />}
              onClick={() => onTable(!isTable)}
            >
              {t(isTable ? "usage.asChart" : "usage.asTable")}
            </Button>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconDownload size={15} />}
              aria-label={t("usage.csvOf", { title })}
              onClick={save}
            >
              {t("table.csv")}
            </Button>
          </Group>
        </Group>
        <Suspense fallback={<Skeleton height={240} />}>
          {isTable ? (
            <PointTable {...props} />
          ) : (
            <>
              <UsageChart
                data={data}
                kind={props.kind}
                format={props.format}
                onOpen={props.onOpen}
              />
              <Legend series={data.series} />
            </>
          )}
        </Suspense>
      </Stack>
    </Paper>
  );
}

/** Below the chart, as many lines as it takes. */
function Legend({ series }: { series: readonly ChartSeries[] }) {
  return (
    <Group gap="md" style={{ rowGap: 4 }}>
      {series.map(({ id, label, color }) => (
        <Group key={id} gap={6} wrap="nowrap" miw={0}>
          <ColorSwatch size={10} color={`var(--mantine-color-${color.replace(".", "-")})`} />
          <Text size="xs" style={{ overflowWrap: "anywhere" }}>
            {label}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
