// The typed client of the management interface: paths, parameters and answers come from its OpenAPI
// document. A failure is always a RequestFailure; an ended session and a step-up check are mended by
// their dialogs, after which the same call is sent again.

import createClient from "openapi-fetch";
import { failureFromException, failureFromStatus, isRefusal, type RequestFailure } from "./failure";
import { interrupts } from "./interrupt";
import type { components, paths } from "./schema.gen";

/** A record of the interface by its name: `Schema<"Token">`. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

const READ_LIMIT_MS = 10_000;
const WRITE_LIMIT_MS = 30_000;

/** Paths on which 401 means "wrong password", not "signed out". */
const SIGN_IN_PATHS = /^\/api\/(user\/(login|self$|register|reset|passkey\/login)|setup|oauth)/;

/** `api.GET("/api/token/", { params: { query: { p: 1 } } })`; give the result to {@link dataOf}. */
export const api = createClient<paths>({
  baseUrl: "",
  cache: "no-store",
  credentials: "same-origin",
  fetch: send,
});

/** The answer's `data`, out of its envelope. */
export async function dataOf<T>(
  call: Promise<{ data?: { success: true; data?: T } | undefined; response: Response }>,
): Promise<T> {
  const { data } = await call;
  return data?.data as T;
}

async function send(request: Request): Promise<Response> {
  const again = request.clone();
  const first = await attempt(request);
  if (!(first instanceof Error)) {
    return first;
  }
  const mended = await mend(first, again);
  if (mended === undefined) {
    throw first;
  }
  const second = await attempt(mended);
  if (second instanceof Error) {
    throw second;
  }
  return second;
}

/** The call to send instead, once what stood in its way is gone. */
async function mend(failure: RequestFailure, request: Request): Promise<Request | undefined> {
  const { signInAgain, stepUp } = interrupts();
  if (isRefusal(failure, "unauthorized") && !SIGN_IN_PATHS.test(failure.path)) {
    return (await signInAgain?.()) === true ? request : undefined;
  }
  if (isRefusal(failure, "step_up_required")) {
    return (await stepUp?.()) === true ? request : undefined;
  }
  return undefined;
}

async function attempt(request: Request): Promise<Response | RequestFailure> {
  const path = new URL(request.url).pathname;
  const limit = request.method === "GET" ? READ_LIMIT_MS : WRITE_LIMIT_MS;
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(limit)]);
  try {
    const answer = await fetch(request, { signal });
    return answer.ok ? await whole(answer) : await failureFromStatus(path, answer);
  } catch (cause) {
    return failureFromException(path, cause);
  }
}

/** An answer that has come to its end: one that breaks off on the way is a failure like any other. */
async function whole(answer: Response): Promise<Response> {
  const body = await answer.blob();
  return new Response(body.size === 0 ? null : body, answer);
}
