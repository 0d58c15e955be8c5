import { describe, expect, it } from "vitest";
import type { Series, Sums } from "./api";
import { latencyChart, requestsChart, spendChart, totalOf } from "./chartData";

const sums = (parts: Partial<Sums>) =>
  ({ requests: 0, errors: 0, charge_usd: "0", ...parts }) as Sums;
const series = (points: Series["points"]): Series => ({
  from: "2026-11-15T10:00:00Z",
  to: "2026-11-15T10:03:00Z",
  step_s: 60,
  points,
});
const at = (minute: number) => `2026-11-15T10:0${minute}:00Z`;

describe("spendChart", () => {
  it("adds exact amounts, the six largest apart and the rest together", () => {
    const points = Array.from({ length: 8 }, (_, index) => ({
      at: at(0),
      key: `m${index}`,
      name: null,
      sums: sums({ charge_usd: `0.00000000${index + 1}` }),
    }));
    const chart = spendChart(series(points), (key) => key, "Other");
    expect(chart.series.map(({ label }) => label)).toEqual([
      "m7",
      "m6",
      "m5",
      "m4",
      "m3",
      "m2",
      "Other",
    ]);
    expect(chart.points).toHaveLength(3);
    expect(totalOf(chart, "other")).toBe("0.000000003");
    expect(totalOf(chart, "group0")).toBe("0.000000008");
  });
});

describe("requestsChart", () => {
  it("fills steps without calls with zero", () => {
    const point = { at: at(1), key: "", name: null, sums: sums({ requests: 5, errors: 2 }) };
    const chart = requestsChart(series([point]), {});
    expect(chart.points.map(({ cells }) => cells.answered?.value)).toEqual([0, 3, 0]);
    expect(chart.points.map(({ cells }) => cells.failed?.value)).toEqual([0, 2, 0]);
  });
});

describe("latencyChart", () => {
  it("has no value where nothing was measured: unknown is not zero", () => {
    const total_ms = { p50: 10, p90: 20, p95: 30, p99: 40 };
    const point = { at: at(2), key: "", name: null, sums: sums({ requests: 1, total_ms }) };
    const chart = latencyChart(series([point]), {}, "total_ms");
    expect(chart.points.map(({ cells }) => cells.p95?.value)).toEqual([null, null, 30]);
  });
});
