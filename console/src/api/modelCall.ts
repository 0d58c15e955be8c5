// Calls of the public model interface with a token, as any client makes them: no cookie, no time limit
// (a model may think for long), and the answer as it is, refusals included.

import { failureFromException, failureFromStatus } from "./failure";

export interface ModelCall {
  path: string;
  token: string;
  headers: Readonly<Record<string, string>>;
  body: string | FormData;
  signal: AbortSignal;
}

/** Sends the call; rejects only when there is no answer at all or the signal ends it. */
export async function callModel({
  path,
  token,
  headers,
  body,
  signal,
}: ModelCall): Promise<Response> {
  try {
    return await fetch(path, {
      method: "POST",
      cache: "no-store",
      credentials: "omit",
      headers: { ...headers, Authorization: `Bearer ${token}` },
      body,
      signal,
    });
  } catch (cause) {
    throw signal.aborted ? cause : failureFromException(path, cause);
  }
}

/** The models that a token may call, by name. */
export async function listModels(token: string, signal: AbortSignal): Promise<string[]> {
  const path = "/v1/models";
  let answer: Response;
  try {
    const headers = { Authorization: `Bearer ${token}` };
    answer = await fetch(path, { cache: "no-store", credentials: "omit", headers, signal });
  } catch (cause) {
    throw failureFromException(path, cause);
  }
  if (!answer.ok) {
    throw await failureFromStatus(path, answer);
  }
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}
