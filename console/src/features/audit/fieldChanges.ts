// The fields that an act changed, out of the entry's `{"field": {"from": …, "to": …}}`.

export interface FieldChange {
  field: string;
  from: string | undefined;
  to: string | undefined;
}

export function fieldChanges(changes: unknown): FieldChange[] {
  if (typeof changes !== "object" || changes === null) {
    return [];
  }
  return Object.entries(changes).map(([field, change]) => {
    if (typeof change === "object" && change !== null && ("from" in change || "to" in change)) {
      const { from, to } = change as { from?: unknown; to?: unknown };
      return { field, from: textOf(from), to: textOf(to) };
    }
    return { field, from: undefined, to: textOf(change) };
  });
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) {
    return undefined;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
