// What the system page asks the gateway: its two probes, its metrics, and what it runs on.

import { queryOptions } from "@tanstack/react-query";
import { getJson, getText } from "@/api/client";
import { api, dataOf } from "@/api/management";
import { parseMetrics } from "@/lib/prometheus";
import { readReadiness } from "./readiness";

const REFRESH_MS = 5_000;
/** The probe's own "not ready", which carries the reason. */
const NOT_READY = 503;

/** Whether the gateway takes calls, or why not. */
export const readinessQuery = queryOptions({
  queryKey: ["system", "readiness"],
  queryFn: ({ signal }) => getJson("/readyz", readReadiness, { signal, alsoAccept: [NOT_READY] }),
  refetchInterval: REFRESH_MS,
});

/** From this browser to the gateway and back, in milliseconds. */
export const roundTripQuery = queryOptions({
  queryKey: ["system", "roundTrip"],
  queryFn: async ({ signal }) => {
    const start = performance.now();
    await getText("/healthz", { signal });
    return performance.now() - start;
  },
  refetchInterval: REFRESH_MS,
});

/** Every metric that the gateway exports. */
export const metricsQuery = queryOptions({
  queryKey: ["system", "metrics"],
  queryFn: async ({ signal }) => parseMetrics(await getText("/metrics", { signal })),
  refetchInterval: REFRESH_MS,
});

/** Has a copy of the records made; the address that gives it, once. */
export async function makeBackup(): Promise<string> {
  const { ticket } = await dataOf(api.POST("/api/system/backup"));
  return `/api/system/backup/${ticket}`;
}

/** Nodes, database and disk. */
export const systemQuery = queryOptions({
  queryKey: ["system", "ground"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/system/", { signal })),
  refetchInterval: REFRESH_MS,
});
