// The gateway's own account of itself, as its readiness probe gives it. A part that an older or newer
// server does not report is undefined, never a made-up value.

export interface SystemFacts {
  isReady: boolean;
  version?: string;
  uptimeSeconds?: number;
  databaseEngine?: string;
}

/** Reads the body of `/readyz`; throws where it is not an object with a status. */
export function readReadiness(value: unknown): SystemFacts {
  const body = asRecord(value);
  const status = asText(body?.status);
  if (body === undefined || status === undefined) {
    throw new Error("The readiness answer has no status");
  }
  const facts: SystemFacts = { isReady: status === "ready" };
  const version = asText(body.version);
  const uptimeSeconds = asNumber(body.uptime_s);
  const databaseEngine = asText(asRecord(body.database)?.engine);
  return {
    ...facts,
    ...(version !== undefined && { version }),
    ...(uptimeSeconds !== undefined && { uptimeSeconds }),
    ...(databaseEngine !== undefined && { databaseEngine }),
  };
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
