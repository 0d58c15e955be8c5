// Prices beside those of a source, and taking over some of its lines.

import { queryOptions } from "@tanstack/react-query";
import { fileBody } from "@/api/fileBody";
import { api, dataOf, type Schema } from "@/api/management";

export type Line = Schema<"PriceDifference">;
export type Comparison = Schema<"PriceComparison">;

export interface Offer {
  source: "catalogue" | "litellm";
  /** The uploaded list; null for the catalogue. */
  file: File | null;
  /** Only models that channels serve. */
  isServed: boolean;
}

export function comparisonQuery({ source, file, isServed }: Offer) {
  return queryOptions({
    queryKey: ["models", "compare", source, file?.name, file?.size, file?.lastModified, isServed],
    enabled: source === "catalogue" || file !== null,
    queryFn: ({ signal }) => {
      const query = { source, ...(isServed ? { served: true } : {}) };
      const params = { query };
      return dataOf(api.POST("/api/price/sync/preview", { params, ...fileBody(file), signal }));
    },
  });
}

/** All or none; a line whose price was changed meanwhile refuses them all. */
export function acceptLines(lines: readonly Line[]) {
  const body = {
    lines: lines.map(({ model, component, present, offered }) => ({
      model,
      component,
      present: present ?? null,
      offered: offered ?? null,
    })),
  };
  return dataOf(api.POST("/api/price/sync", { body }));
}

/** The lines that take these back. */
export function reversed(lines: readonly Line[]): Line[] {
  return lines.map((line) => ({ ...line, present: line.offered, offered: line.present }));
}
