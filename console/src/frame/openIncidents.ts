// Incidents that are open now, for the strip above every page and for the bell; administrators only.

import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";
import { useSession } from "@/session/session";

const EVERY_MS = 10_000;
const MOST = 10;

const openIncidentsQuery = queryOptions({
  queryKey: ["incidents", "open"],
  refetchInterval: EVERY_MS,
  queryFn: async ({ signal }) => {
    const query = { state: "open", limit: MOST };
    return (await dataOf(api.GET("/api/incident/", { params: { query }, signal }))).items;
  },
});

/** Newest first; none for those who may not see them. */
export function useOpenIncidents(): Schema<"Incident">[] {
  const { isAdministrator } = useSession();
  return useQuery({ ...openIncidentsQuery, enabled: isAdministrator }).data ?? [];
}
