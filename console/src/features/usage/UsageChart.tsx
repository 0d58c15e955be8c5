// The drawing of a chart. Loaded on its own, because the library behind it is large.

import "@mantine/charts/styles.css";
import { BarChart, LineChart } from "@mantine/charts";
import { useTranslation } from "react-i18next";
import type { ChartData, ChartSeries, Point } from "./chartData";
import { stepFormat } from "./formats";

export interface UsageChartProps {
  data: ChartData;
  kind: "bar" | "line";
  format: (value: number) => string;
  onOpen: (point: Point, series: ChartSeries) => void;
}

const HEIGHT = 240;

export default function UsageChart({ data, kind, format, onOpen }: UsageChartProps) {
  const { i18n } = useTranslation();
  const time = stepFormat(data.points, i18n.language);
  const rows = data.points.map(({ at, cells }) => ({
    at: time.format(at),
    ...Object.fromEntries(Object.entries(cells).map(([id, { value }]) => [id, value])),
  }));
  const areWhole = data.points.every(({ cells }) =>
    Object.values(cells).every(({ value }) => Number.isInteger(value ?? 0)),
  );
  const shared = {
    h: HEIGHT,
    data: rows,
    dataKey: "at",
    series: data.series.map(({ id, label, color }) => ({ name: id, label, color })),
    valueFormatter: format,
    tickLine: "none" as const,
    gridAxis: "x" as const,
    // Labels at even distances, and no half of a call.
    xAxisProps: { interval: "equidistantPreserveStart" as const },
    yAxisProps: { width: 80, allowDecimals: !areWhole },
  };
  if (kind === "line") {
    return <LineChart {...shared} curveType="linear" connectNulls={false} dotProps={{ r: 3 }} />;
  }
  return (
    <BarChart
      {...shared}
      type="stacked"
      maxBarWidth={42}
      barProps={({ name }) => ({
        cursor: "pointer",
        isAnimationActive: false,
        onClick: (_bar: unknown, index: number) => {
          const point = data.points[index];
          const series = data.series.find(({ id }) => id === name);
          if (point !== undefined && series !== undefined) {
            onOpen(point, series);
          }
        },
      })}
    />
  );
}
