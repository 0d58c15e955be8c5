// What an answer that is no success says, in any dialect's error shape.

import type { CallFailure } from "../model/conversation";
import { failureOf, fields } from "../stream/fields";

/** Enough of a page for people to tell what it was. */
const SHOWN_CHARACTERS = 300;

export async function refusalOf(answer: Response): Promise<CallFailure> {
  const body = await answer.text().catch(() => "");
  const retryAfter = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return {
    ...failureFrom(body, answer.status),
    ...(Number.isFinite(retryAfter) ? { retryAfter } : {}),
  };
}

function failureFrom(body: string, status: number): CallFailure {
  try {
    const parsed: unknown = JSON.parse(body);
    const { error } = fields(Array.isArray(parsed) ? parsed[0] : parsed);
    return failureOf(error, status);
  } catch {
    return { status, message: body.slice(0, SHOWN_CHARACTERS) };
  }
}
