// What the metrics tell about the gateway's process. A metric that is not there gives no fact: an
// operating system without /proc, for example, tells no memory.

import type { MetricFamily } from "@/lib/prometheus";

export interface ProcessFacts {
  version: string | undefined;
  uptimeSeconds: number | undefined;
  residentBytes: number | undefined;
  requestCount: number | undefined;
}

/** Picks the facts out of the exported families. */
export function processFacts(families: readonly MetricFamily[]): ProcessFacts {
  const samplesOf = (name: string) =>
    families.find((family) => family.name === name)?.samples ?? [];
  const requests = samplesOf("modelgate_http_requests_total");
  return {
    version: samplesOf("modelgate_info")[0]?.labels.version,
    uptimeSeconds: samplesOf("process_uptime_seconds")[0]?.value,
    residentBytes: samplesOf("process_resident_memory_bytes")[0]?.value,
    requestCount:
      requests.length === 0
        ? undefined
        : requests.reduce((total, sample) => total + sample.value, 0),
  };
}
