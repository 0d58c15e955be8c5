// What the charts draw. Amounts stay exact: a cell has its exact text beside the number that only
// decides how tall a bar is.

import { nanosOf, sumUsd } from "@/lib/money";
import type { Series, Sums } from "./api";
import { stepsOf } from "./range";

export interface ChartSeries {
  id: string;
  label: string;
  color: string;
  /** The group's key, for the way to its calls. */
  key?: string | undefined;
}

interface Cell {
  /** Null: nothing was measured. */
  value: number | null;
  /** As the ledger has it. */
  exact: string;
}

export interface Point {
  /** Where the step begins and ends, in milliseconds. */
  at: number;
  until: number;
  cells: Readonly<Record<string, Cell>>;
}

export interface ChartData {
  series: readonly ChartSeries[];
  points: readonly Point[];
}

const COLORS = ["gate.6", "teal.6", "orange.6", "pink.6", "cyan.6", "yellow.6"] as const;
const OTHER = { id: "other", color: "gray.5" } as const;

const NOTHING: Cell = { value: 0, exact: "0" };

/** What each group cost over time: the six that cost most, and the rest together. */
export function spendChart(
  of: Series,
  nameOf: (key: string, name: string | null) => string,
  other: string,
): ChartData {
  const groups = new Map<string, { label: string; sum: bigint }>();
  for (const { key, name, sums } of of.points) {
    const before = groups.get(key)?.sum ?? 0n;
    groups.set(key, { label: nameOf(key, name), sum: before + nanosOf(sums.charge_usd) });
  }
  const ranked = [...groups].sort(([, a], [, b]) => Number(b.sum - a.sum));
  const top = ranked.slice(0, COLORS.length).map(([key, { label }], index) => ({
    id: `group${index}`,
    label,
    color: COLORS[index] ?? OTHER.color,
    key,
  }));
  const series = ranked.length > top.length ? [...top, { ...OTHER, label: other }] : top;
  const idOf = new Map(top.map(({ key, id }) => [key, id]));
  return {
    series,
    points: pointsOf(of, (points) => {
      const amounts = new Map<string, string[]>();
      for (const { key, sums } of points) {
        const id = idOf.get(key) ?? OTHER.id;
        amounts.set(id, [...(amounts.get(id) ?? []), sums.charge_usd]);
      }
      return Object.fromEntries(series.map(({ id }) => [id, money(sumUsd(amounts.get(id) ?? []))]));
    }),
  };
}

type Texts = Readonly<Record<string, string>>;

/** Calls that were answered and calls that failed. */
export function requestsChart(of: Series, texts: Texts): ChartData {
  return sumsChart(of, texts, [
    ["answered", "teal.6", ({ requests, errors }) => requests - errors],
    ["failed", "red.6", ({ errors }) => errors],
  ]);
}

/** Tokens by kind; reasoning is taken out of the output, so that the parts add up. */
export function tokensChart(of: Series, texts: Texts): ChartData {
  return sumsChart(of, texts, [
    ["input", "gate.6", (sums) => sums.input_tokens],
    ["cached", "cyan.6", (sums) => sums.cache_read_tokens],
    ["cacheWrite", "yellow.6", (sums) => sums.cache_write_tokens],
    ["output", "teal.6", (sums) => sums.output_tokens - sums.reasoning_tokens],
    ["reasoning", "pink.6", (sums) => sums.reasoning_tokens],
  ]);
}

/** How long calls took; steps without calls have no value. */
export function latencyChart(
  of: Series,
  texts: Texts,
  what: "total_ms" | "first_byte_ms",
): ChartData {
  return sumsChart(
    of,
    texts,
    [
      ["p50", "teal.6", (sums) => sums[what].p50],
      ["p95", "gate.6", (sums) => sums[what].p95],
      ["p99", "orange.6", (sums) => sums[what].p99],
    ],
    null,
  );
}

type Measure = readonly [id: string, color: string, read: (sums: Sums) => number | null];

function sumsChart(
  of: Series,
  texts: Texts,
  measures: readonly Measure[],
  empty: 0 | null = 0,
): ChartData {
  const none: Cell = empty === 0 ? NOTHING : { value: null, exact: "" };
  return {
    series: measures.map(([id, color]) => ({ id, color, label: texts[id] ?? id })),
    points: pointsOf(of, ([point]) =>
      Object.fromEntries(
        measures.map(([id, , read]) => {
          const value = point === undefined ? empty : read(point.sums);
          return [
            id,
            value === null || point === undefined ? none : { value, exact: String(value) },
          ];
        }),
      ),
    ),
  };
}

/** Every step of the range with what happened in it. */
function pointsOf(
  of: Series,
  cellsOf: (points: readonly Series["points"][number][]) => Record<string, Cell>,
): Point[] {
  const byStep = new Map<number, Series["points"]>();
  for (const point of of.points) {
    const at = Date.parse(point.at);
    byStep.set(at, [...(byStep.get(at) ?? []), point]);
  }
  return stepsOf(of).map((at) => ({
    at,
    until: at + of.step_s * 1_000,
    cells: cellsOf(byStep.get(at) ?? []),
  }));
}

function money(exact: string): Cell {
  return { value: Number(exact), exact };
}

/** The exact sum of a series: amounts and counts add up the same way. */
export function totalOf({ points }: ChartData, id: string): string {
  return sumUsd(points.map(({ cells }) => cells[id]?.exact ?? "0"));
}
