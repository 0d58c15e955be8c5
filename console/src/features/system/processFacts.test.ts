import { describe, expect, it } from "vitest";
import { parseMetrics } from "@/lib/prometheus";
import { processFacts } from "./processFacts";

describe("processFacts", () => {
  it("reads version, uptime, memory and requests", () => {
    const families = parseMetrics(`
# TYPE modelgate_http_requests_total counter
modelgate_http_requests_total{area="console",status="2xx"} 5
modelgate_http_requests_total{area="probe",status="2xx"} 7
# TYPE modelgate_info gauge
modelgate_info{version="0.1.0"} 1
# TYPE process_uptime_seconds gauge
process_uptime_seconds 12.500
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 33554432
`);
    expect(processFacts(families)).toEqual({
      version: "0.1.0",
      uptimeSeconds: 12.5,
      residentBytes: 33_554_432,
      requestCount: 12,
    });
  });

  it("makes up nothing that is not exported", () => {
    expect(processFacts([])).toEqual({
      version: undefined,
      uptimeSeconds: undefined,
      residentBytes: undefined,
      requestCount: undefined,
    });
  });
});
