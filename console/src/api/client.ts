// The one place that calls `fetch` for the console: same origin, never cached, always with a time
// limit, failures always a RequestFailure. Features call it from their own `api.ts`.

import { failureFromException, failureFromStatus, RequestFailure, requestIdOf } from "./failure";

const TIMEOUT_MS = 10_000;

export interface RequestOptions {
  /** Ends the request early, when nobody waits for it any more. */
  signal?: AbortSignal | undefined;
  /** Statuses besides 2xx that carry an answer rather than a failure. */
  alsoAccept?: readonly number[] | undefined;
}

/** Asks for a JSON document; `read` turns it into a checked type or throws. */
export async function getJson<T>(
  path: string,
  read: (value: unknown) => T,
  options: RequestOptions = {},
): Promise<T> {
  const answer = await get(path, options);
  const text = await bodyText(path, answer);
  try {
    return read(JSON.parse(text));
  } catch (cause) {
    const context = { status: answer.status, requestId: requestIdOf(answer) };
    throw new RequestFailure("malformed", path, context, { cause });
  }
}

/** Asks for a text document. */
export async function getText(path: string, options: RequestOptions = {}): Promise<string> {
  return bodyText(path, await get(path, options));
}

async function get(path: string, { signal, alsoAccept = [] }: RequestOptions): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let answer: Response;
  try {
    answer = await fetch(path, {
      cache: "no-store",
      credentials: "same-origin",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (cause) {
    throw failureFromException(path, cause);
  }
  if (!answer.ok && !alsoAccept.includes(answer.status)) {
    throw await failureFromStatus(path, answer);
  }
  return answer;
}

async function bodyText(path: string, answer: Response): Promise<string> {
  try {
    return await answer.text();
  } catch (cause) {
    throw failureFromException(path, cause);
  }
}
