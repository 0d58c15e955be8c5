// Why a request to the gateway brought nothing: one type for every page, so that each error says
// what happened, whose fault it is, what to do, and under which request id (in that order).

/** What went wrong, as far as a browser can tell. */
export type FailureKind = "unreachable" | "timeout" | "refused" | "broken" | "malformed";

/** A request that failed, with what a person needs in order to act or to ask for help. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";

  constructor(
    readonly kind: FailureKind,
    readonly path: string,
    readonly status?: number,
    readonly requestId?: string,
    options?: ErrorOptions,
  ) {
    super(`${kind} answer from ${path}`, options);
  }
}

/** The failure for an answer whose status the caller did not expect. */
export function failureFromStatus(path: string, answer: Response): RequestFailure {
  const kind = answer.status >= 500 ? "broken" : "refused";
  const requestId = answer.headers.get("x-request-id") ?? undefined;
  return new RequestFailure(kind, path, answer.status, requestId);
}

/** The failure for a request that got no answer at all. */
export function failureFromException(path: string, cause: unknown): RequestFailure {
  const isTimeout = cause instanceof DOMException && cause.name === "TimeoutError";
  return new RequestFailure(isTimeout ? "timeout" : "unreachable", path, undefined, undefined, {
    cause,
  });
}
