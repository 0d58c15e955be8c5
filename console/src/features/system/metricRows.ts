// Metric families as rows of a table. A sum is shown only where adding up is right.

import type { MetricFamily, Sample } from "@/lib/prometheus";

export interface MetricRow {
  name: string;
  help: string;
  type: string;
  seriesCount: number;
  /** One figure for the family; undefined where several series have no meaningful one. */
  value: number | undefined;
}

/** One row a family, by name. */
export function metricRows(families: readonly MetricFamily[]): MetricRow[] {
  return families
    .filter((family) => family.samples.length > 0)
    .map(toRow)
    .sort((left, right) => left.name.localeCompare(right.name, "en"));
}

/** The rows whose name or description contains the text, whatever its case. */
export function filterRows(rows: readonly MetricRow[], text: string): MetricRow[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter(({ name, help }) => `${name} ${help}`.toLowerCase().includes(wanted));
}

function toRow({ name, help, type, samples }: MetricFamily): MetricRow {
  const series = seriesOf(name, type, samples);
  const isSummable = type !== "gauge" && type !== "untyped";
  const value = isSummable || series.length === 1 ? sum(series) : undefined;
  return { name, help, type, seriesCount: series.length, value };
}

/** Histograms and summaries are told by their number of observations. */
function seriesOf(name: string, type: string, samples: readonly Sample[]): Sample[] {
  if (type === "histogram" || type === "summary") {
    return samples.filter((sample) => sample.name === `${name}_count`);
  }
  return [...samples];
}

function sum(samples: readonly Sample[]): number {
  return samples.reduce((total, sample) => total + sample.value, 0);
}
