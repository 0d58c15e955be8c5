import { describe, expect, it } from "vitest";
import { parseMetrics } from "@/lib/prometheus";
import { filterRows, metricRows } from "./metricRows";

const rows = metricRows(
  parseMetrics(`
# HELP z_requests_total Requests answered
# TYPE z_requests_total counter
z_requests_total{status="200"} 5
z_requests_total{status="500"} 2
# TYPE wait_seconds histogram
wait_seconds_bucket{route="a",le="+Inf"} 3
wait_seconds_sum{route="a"} 0.4
wait_seconds_count{route="a"} 3
wait_seconds_count{route="b"} 4
# TYPE temperature gauge
temperature{room="a"} 20
temperature{room="b"} 22
# TYPE streams gauge
streams 1
# TYPE never_seen counter
`),
);

describe("metricRows", () => {
  it("sorts by name and leaves out families without samples", () => {
    expect(rows.map((row) => row.name)).toEqual([
      "streams",
      "temperature",
      "wait_seconds",
      "z_requests_total",
    ]);
  });

  it("adds up counters and counts a histogram's observations", () => {
    expect(rows.find((row) => row.name === "z_requests_total")).toMatchObject({
      value: 7,
      seriesCount: 2,
    });
    expect(rows.find((row) => row.name === "wait_seconds")).toMatchObject({
      value: 7,
      seriesCount: 2,
    });
  });

  it("never adds up gauges", () => {
    expect(rows.find((row) => row.name === "temperature")?.value).toBeUndefined();
    expect(rows.find((row) => row.name === "streams")?.value).toBe(1);
  });
});

describe("filterRows", () => {
  it.each([
    ["", 4],
    ["  ", 4],
    ["SECONDS", 1],
    ["answered", 1],
    ["nothing like this", 0],
  ])("finds by %j %d rows", (text, count) => {
    expect(filterRows(rows, text)).toHaveLength(count);
  });
});
