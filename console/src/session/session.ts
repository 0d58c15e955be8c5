// Who is signed in and what this installation offers, as query-cache entries that the whole console
// shares. The server decides what anybody may do; this only decides what is shown.

import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { RequestFailure } from "@/api/failure";
import { api, dataOf, type Schema } from "@/api/management";

export type User = Schema<"User">;

/** Roles as the interface numbers them. */
const ADMINISTRATOR = 10;
const ROOT = 100;

/** The account of this session, or null where nobody is signed in. */
export const selfQuery = queryOptions({
  queryKey: ["session", "self"],
  staleTime: 30_000,
  queryFn: async ({ signal }): Promise<User | null> => {
    try {
      return await dataOf(api.GET("/api/user/self", { signal }));
    } catch (error) {
      if (error instanceof RequestFailure && error.context.status === 401) {
        return null;
      }
      throw error;
    }
  },
});

/** What a visitor may know of the installation. */
export const statusQuery = queryOptions({
  queryKey: ["session", "status"],
  staleTime: 60_000,
  queryFn: ({ signal }) => dataOf(api.GET("/api/status", { signal })),
});

export interface Session {
  user: User;
  isAdministrator: boolean;
  isRoot: boolean;
}

/** Whether the role opens administrators' pages. */
export function isAdministrator(user: Pick<User, "role">): boolean {
  return user.role >= ADMINISTRATOR;
}

/** The signed-in account. Only below /console, where the guard has read it already. */
export function useSession(): Session {
  const { data } = useQuery(selfQuery);
  if (data === undefined || data === null) {
    throw new Error("useSession outside of the guarded pages");
  }
  return { user: data, isAdministrator: isAdministrator(data), isRoot: data.role >= ROOT };
}

/** Reads balance and account anew, for example after a payment. */
export function useRefreshSession(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: selfQuery.queryKey });
}

/** Takes the account that a sign-in has answered with; everything read before is forgotten. */
export function beginSession(client: QueryClient, user: User): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
  client.setQueryData(selfQuery.queryKey, user);
}

/** Ends the session on the server and forgets what was read in it. */
export async function signOut(client: QueryClient): Promise<void> {
  await dataOf(api.POST("/api/user/logout"));
  client.clear();
}
