// How channels did in the last hour: the line of failures, and the sums of their calls.

import { useQuery } from "@tanstack/react-query";
import type { Schema } from "@/api/management";
import { healthQuery, spendQuery } from "./api";
import { errorShares } from "./errorShares";

export interface Health {
  /** Shares of failed tries, oldest first; nothing while they are not known. */
  shares: (id: number) => (number | null)[] | undefined;
  /** Sums of the calls that ended here; nothing where there were none or they are not known. */
  sums: (id: number) => Schema<"Sums"> | undefined;
}

export function useHealth(): Health {
  const health = useQuery(healthQuery);
  const spend = useQuery(spendQuery);
  return {
    shares: (id) =>
      health.data === undefined ? undefined : errorShares(health.data, id, health.dataUpdatedAt),
    sums: (id) => spend.data?.items.find(({ key }) => key === String(id))?.sums,
  };
}
