// What is wrong with the coverage of models, the worst first.

export interface Covered {
  model: string;
  group: string;
  channels: number;
  healthy: number;
  on_trial: number;
  has_price: boolean;
}

export type WarningKind = "none_healthy" | "on_trial" | "no_price" | "one_channel";

export interface Warning {
  kind: WarningKind;
  model: string;
  groups: string[];
}

const ORDER: readonly WarningKind[] = ["none_healthy", "on_trial", "no_price", "one_channel"];

/** One warning for each model and kind, with the groups that it concerns. */
export function warningsOf(coverage: readonly Covered[]): Warning[] {
  const found = new Map<string, Warning>();
  for (const covered of coverage) {
    for (const kind of kindsOf(covered)) {
      const key = `${kind} ${covered.model}`;
      const before = found.get(key);
      const groups = [...(before?.groups ?? []), covered.group];
      found.set(key, { kind, model: covered.model, groups });
    }
  }
  return [...found.values()].sort(
    (left, right) => ORDER.indexOf(left.kind) - ORDER.indexOf(right.kind),
  );
}

function kindsOf({ channels, healthy, on_trial, has_price }: Covered): WarningKind[] {
  return [
    ...(healthy + on_trial === 0 ? (["none_healthy"] as const) : []),
    ...(healthy === 0 && on_trial > 0 ? (["on_trial"] as const) : []),
    ...(has_price ? [] : (["no_price"] as const)),
    ...(healthy > 0 && channels === 1 ? (["one_channel"] as const) : []),
  ];
}
