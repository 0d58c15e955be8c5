// A refused form: the gateway names the field first ("name: is required"), so its text goes to that
// field, and to the whole form where it names none that the form has.

import { RequestFailure } from "@/api/failure";

/** Where a failure belongs: one field, or the form. */
export interface ServerError {
  field: string | undefined;
  text: string | undefined;
}

/** Reads a failure of a submitted form; `fields` are the names that the form shows. */
export function serverErrorOf(error: unknown, fields: readonly string[]): ServerError {
  if (!(error instanceof RequestFailure)) {
    return { field: undefined, text: undefined };
  }
  const { detail } = error.context;
  const { field } = error;
  if (field !== undefined && fields.includes(field)) {
    return { field, text: detail?.slice(field.length + 2) };
  }
  return { field: undefined, text: detail };
}
