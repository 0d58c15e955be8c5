// Who may open which page. Run before a page is drawn, so that a refused page makes no request for
// data.

import type { QueryClient } from "@tanstack/react-query";
import { redirect } from "@tanstack/react-router";
import { isAdministrator, selfQuery, type User } from "./session";

/** The signed-in account, or a way to the sign-in page and back. */
export async function requireUser(client: QueryClient, address: string): Promise<User> {
  const user = await client.ensureQueryData(selfQuery);
  if (user === null) {
    throw redirect({ to: "/login", search: { next: address }, replace: true });
  }
  return user;
}

/** Whether whoever is signed in opens administrators' pages. */
export async function mayAdminister(client: QueryClient, address: string): Promise<boolean> {
  return isAdministrator(await requireUser(client, address));
}

/** The address to go to after signing in: one of our own pages, whatever the query string says. */
export function safeNext(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/console";
}
