// An audit entry's changes, `{"field": {"from": …, "to": …}}`, as lines to read. A field that a new
// record leaves empty is none.

export interface FieldChange {
  field: string;
  from: string;
  to: string;
}

export function fieldChanges(changes: unknown): FieldChange[] {
  if (typeof changes !== "object" || changes === null) {
    return [];
  }
  return Object.entries(changes)
    .map(([field, change]) => {
      const { from, to } = (change ?? {}) as { from?: unknown; to?: unknown };
      return { field, from: written(from), to: written(to) };
    })
    .filter(({ from, to }) => from !== to);
}

function written(value: unknown): string {
  if (value === undefined || value === null || value === "") {
    return "—";
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
