// Why a request to the gateway brought nothing: one type for every page, so that each error says
// what happened, whose fault it is, what to do, and under which request id (in that order).

/** What went wrong, as far as a browser can tell. */
export type FailureKind = "unreachable" | "timeout" | "refused" | "broken" | "malformed";

/** What is known beyond the kind. */
export interface FailureContext {
  status?: number | undefined;
  /** The gateway's own words about it. */
  detail?: string | undefined;
  requestId?: string | undefined;
}

/** A request that failed, with what a person needs in order to act or to ask for help. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";

  constructor(
    readonly kind: FailureKind,
    readonly path: string,
    readonly context: FailureContext = {},
    options?: ErrorOptions,
  ) {
    super(`${kind} answer from ${path}`, options);
  }
}

/** The failure for an answer whose status the caller did not expect. */
export async function failureFromStatus(path: string, answer: Response): Promise<RequestFailure> {
  return new RequestFailure(answer.status >= 500 ? "broken" : "refused", path, {
    status: answer.status,
    detail: envelopeMessage(await answer.text().catch(() => "")),
    requestId: requestIdOf(answer),
  });
}

/** The failure for a request that got no answer at all. */
export function failureFromException(path: string, cause: unknown): RequestFailure {
  const isTimeout = cause instanceof DOMException && cause.name === "TimeoutError";
  return new RequestFailure(isTimeout ? "timeout" : "unreachable", path, {}, { cause });
}

/** The id under which the gateway logged the request. */
export function requestIdOf(answer: Response): string | undefined {
  return answer.headers.get("x-request-id") ?? undefined;
}

/** `message` of the management interface's envelope; a body of another shape has none. */
function envelopeMessage(body: string): string | undefined {
  try {
    const { message } = JSON.parse(body);
    return typeof message === "string" && message !== "" ? message : undefined;
  } catch {
    return undefined;
  }
}
