// Why a request to the gateway brought nothing: one type for every page, so that each error says
// what happened, whose fault it is, what to do, and under which request id (in that order).

/** What went wrong, as far as a browser can tell. */
export type FailureKind = "unreachable" | "timeout" | "refused" | "broken" | "malformed";

/** What is known beyond the kind. */
export interface FailureContext {
  status?: number | undefined;
  /** The gateway's stable word for it, for example `insufficient_quota`. */
  code?: string | undefined;
  /** The gateway's own words about it. */
  detail?: string | undefined;
  requestId?: string | undefined;
  /** For how many seconds another try is refused. */
  retryAfter?: number | undefined;
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

  /** The form field that the gateway's text names first (`name: is required`), where it does. */
  get field(): string | undefined {
    return /^([a-z][a-z0-9_]*): /.exec(this.context.detail ?? "")?.[1];
  }
}

/** Whether an error is the gateway's refusal under one of these codes. */
export function isRefusal(error: unknown, ...codes: readonly string[]): error is RequestFailure {
  return error instanceof RequestFailure && codes.includes(error.context.code ?? "");
}

/** The failure for an answer whose status the caller did not expect. */
export async function failureFromStatus(path: string, answer: Response): Promise<RequestFailure> {
  const wait = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return new RequestFailure(answer.status >= 500 ? "broken" : "refused", path, {
    status: answer.status,
    ...envelopeOf(await answer.text().catch(() => "")),
    requestId: requestIdOf(answer),
    retryAfter: Number.isFinite(wait) ? wait : undefined,
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

/** `message` and `code` of the management interface's envelope; a body of another shape has none. */
function envelopeOf(body: string): Pick<FailureContext, "code" | "detail"> {
  try {
    const { code, message } = JSON.parse(body);
    return { code: textOrNothing(code), detail: textOrNothing(message) };
  } catch {
    return { code: undefined, detail: undefined };
  }
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
