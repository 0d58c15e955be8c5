// Who may open which page. Run before a page's code asks for anything, so that a refused page makes
// no request for data.

import type { QueryClient } from "@tanstack/react-query";
import { redirect } from "@tanstack/react-router";
import { isAdministrator, selfQuery, type User } from "./session";

/** Thrown for a page that the signed-in role does not open; drawn as the 403 page. */
export class Forbidden extends Error {
  override readonly name = "Forbidden";
}

/** The signed-in account, or a way to the sign-in page and back. */
export async function requireUser(client: QueryClient, address: string): Promise<User> {
  const user = await client.ensureQueryData(selfQuery);
  if (user === null) {
    throw redirect({ to: "/login", search: { next: address }, replace: true });
  }
  return user;
}

/** Refuses whoever is no administrator. */
export async function requireAdministrator(client: QueryClient, address: string): Promise<void> {
  if (!isAdministrator(await requireUser(client, address))) {
    throw new Forbidden();
  }
}

/** The address to go to after signing in: one of our own pages, whatever the query string says. */
export function safeNext(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/console";
}
