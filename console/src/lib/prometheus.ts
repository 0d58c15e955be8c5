// Reads the Prometheus text format (version 0.0.4) into families. Only what the gateway writes:
// HELP and TYPE comments, samples with labels; timestamps are accepted and ignored.

export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export interface MetricFamily {
  name: string;
  /** counter, gauge, histogram, summary or untyped. */
  type: string;
  help: string;
  samples: Sample[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"\s*,?\s*/y;
const COMMENT = /^#\s+(HELP|TYPE)\s+(\S+)\s*(.*)$/;
const SERIES_SUFFIX = /_(?:bucket|sum|count)$/;

/** Families in the order of the text. A line that is not of the format is an error. */
export function parseMetrics(text: string): MetricFamily[] {
  const families = new Map<string, MetricFamily>();
  for (const line of text.split("\n").map((raw) => raw.trim())) {
    if (line.startsWith("#")) {
      readComment(line, families);
    } else if (line !== "") {
      const sample = readSample(line);
      familyOf(sample.name, families).samples.push(sample);
    }
  }
  return [...families.values()];
}

function readComment(line: string, families: Map<string, MetricFamily>): void {
  const [, keyword, name, rest] = COMMENT.exec(line) ?? [];
  if (keyword === undefined || name === undefined) {
    return;
  }
  const family = named(name, families);
  if (keyword === "HELP") {
    family.help = unescapeText(rest ?? "");
  } else {
    family.type = rest ?? "untyped";
  }
}

function readSample(line: string): Sample {
  const [, name, labels, value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw new Error(`Not a metric line: ${line}`);
  }
  return { name, labels: readLabels(labels ?? ""), value: readNumber(value) };
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name, value] = LABEL.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw new Error(`Not a list of labels: ${text}`);
    }
    labels[name] = unescapeText(value);
  }
  return labels;
}

function readNumber(text: string): number {
  switch (text) {
    case "+Inf":
      return Number.POSITIVE_INFINITY;
    case "-Inf":
      return Number.NEGATIVE_INFINITY;
    case "NaN":
      return Number.NaN;
    default: {
      const value = Number(text);
      if (Number.isNaN(value)) {
        throw new Error(`Not a metric value: ${text}`);
      }
      return value;
    }
  }
}

function familyOf(sampleName: string, families: Map<string, MetricFamily>): MetricFamily {
  const base = sampleName.replace(SERIES_SUFFIX, "");
  return families.get(sampleName) ?? families.get(base) ?? named(sampleName, families);
}

function named(name: string, families: Map<string, MetricFamily>): MetricFamily {
  const known = families.get(name);
  if (known !== undefined) {
    return known;
  }
  const family: MetricFamily = { name, type: "untyped", help: "", samples: [] };
  families.set(name, family);
  return family;
}

function unescapeText(text: string): string {
  return text.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
}
