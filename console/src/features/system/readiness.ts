// What the readiness probe says: ready, or why not.

export type Readiness = "ready" | "stopping" | "databaseUnreachable" | "databaseSlow" | "notReady";

/** The words of the gateway's probe; another word than "ready" is a reason not to be. */
const WORDS: Readonly<Record<string, Readiness>> = {
  ready: "ready",
  stopping: "stopping",
  "database unreachable": "databaseUnreachable",
  "database too slow": "databaseSlow",
};

/** Reads the body of `/readyz`; throws where it is not the gateway's. */
export function readReadiness(value: unknown): Readiness {
  if (typeof value !== "object" || value === null || !("status" in value)) {
    throw new Error("The readiness answer has no status");
  }
  if (typeof value.status !== "string") {
    throw new Error("The readiness status is no text");
  }
  return Object.hasOwn(WORDS, value.status) ? (WORDS[value.status] ?? "notReady") : "notReady";
}
