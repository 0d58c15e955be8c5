import { describe, expect, it } from "vitest";
import { parseMetrics } from "./prometheus";

describe("parseMetrics", () => {
  it("reads help, type, labels and values", () => {
    const text = [
      "# HELP requests_total Requests answered",
      "# TYPE requests_total counter",
      'requests_total{method="GET",status="200"} 12',
      'requests_total{method="POST",status="500"} 3 1700000000000',
      "",
    ].join("\n");
    expect(parseMetrics(text)).toEqual([
      {
        name: "requests_total",
        help: "Requests answered",
        type: "counter",
        samples: [
          { name: "requests_total", labels: { method: "GET", status: "200" }, value: 12 },
          { name: "requests_total", labels: { method: "POST", status: "500" }, value: 3 },
        ],
      },
    ]);
  });

  it("keeps the parts of a histogram in one family", () => {
    const text = [
      "# TYPE wait_seconds histogram",
      'wait_seconds_bucket{le="0.1"} 1',
      'wait_seconds_bucket{le="+Inf"} 2',
      "wait_seconds_sum 0.5",
      "wait_seconds_count 2",
    ].join("\n");
    const [family, ...others] = parseMetrics(text);
    expect(others).toEqual([]);
    expect(family?.samples.map((sample) => sample.name)).toEqual([
      "wait_seconds_bucket",
      "wait_seconds_bucket",
      "wait_seconds_sum",
      "wait_seconds_count",
    ]);
  });

  it("takes a name that merely ends like a histogram's part as its own family", () => {
    const families = parseMetrics("# TYPE key_count gauge\nkey_count 7\nopen_sum 1");
    expect(families.map(({ name, type }) => [name, type])).toEqual([
      ["key_count", "gauge"],
      ["open_sum", "untyped"],
    ]);
  });

  it("unescapes quotes, backslashes, line breaks and braces in label values", () => {
    const [family] = parseMetrics(String.raw`m{path="a\"b\\c\nd}",x="1,2"} 1`);
    expect(family?.samples[0]?.labels).toEqual({ path: 'a"b\\c\nd}', x: "1,2" });
  });

  it("reads infinities and not-a-number", () => {
    const values = parseMetrics("a +Inf\nb -Inf\nc NaN\nd 1.5e-3").map(
      (family) => family.samples[0]?.value,
    );
    expect(values).toEqual([
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
      0.0015,
    ]);
  });

  it.each(["<!doctype html>", "name", "name{broken} 1", "name twelve"])(
    "refuses %j instead of guessing",
    (text) => {
      expect(() => parseMetrics(text)).toThrow();
    },
  );
});
