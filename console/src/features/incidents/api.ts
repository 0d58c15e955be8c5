// Incidents: the list, one with all that is known of it, and what can be done about it.

import { queryOptions } from "@tanstack/react-query";
import { everyPage } from "@/api/everyPage";
import { api, dataOf, type Schema } from "@/api/management";

export type Incident = Schema<"Incident">;
export type IncidentDetail = Schema<"IncidentDetail">;
export type IncidentEvent = Schema<"IncidentEvent">;
export type AlertOutcome = Schema<"TestedTarget">;
export type Channel = Schema<"Channel">;
export type ChannelState = "on" | "draining" | "off";

/** Everything of incidents in the query cache. */
export const INCIDENTS = "incidents";

/** While something may still happen the pages look again. */
const REFRESH_MS = 5_000;

export interface IncidentFilter {
  state?: "open" | "closed";
  severity?: "warning" | "critical";
  rule?: string;
}

export function incidentsQuery(filter: IncidentFilter, cursor: string | undefined, limit: number) {
  return queryOptions({
    queryKey: [INCIDENTS, "list", filter, cursor ?? null, limit],
    queryFn: ({ signal }) => {
      const { state = null, severity = null, rule = null } = filter;
      const query = { cursor: cursor ?? null, limit, state, severity, rule };
      return dataOf(api.GET("/api/incident/", { params: { query }, signal }));
    },
    refetchInterval: REFRESH_MS,
  });
}

export function incidentQuery(id: number) {
  return queryOptions({
    queryKey: [INCIDENTS, "one", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/incident/{id}", { params: { path: { id } }, signal })),
    refetchInterval: REFRESH_MS,
  });
}

export function channelQuery(id: number) {
  return queryOptions({
    queryKey: [INCIDENTS, "channel", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/channel/{id}", { params: { path: { id } }, signal })),
    refetchInterval: REFRESH_MS,
  });
}

const at = (id: number) => ({ path: { id } });

export function addNote(id: number, text: string) {
  return dataOf(api.POST("/api/incident/{id}/note", { params: at(id), body: { text } }));
}

export function acknowledge(id: number) {
  return dataOf(api.POST("/api/incident/{id}/acknowledge", { params: at(id) }));
}

export function resolve(id: number, text: string) {
  const body = text === "" ? {} : { text };
  return dataOf(api.POST("/api/incident/{id}/resolve", { params: at(id), body }));
}

export function setChannelState(id: number, state: ChannelState, reason: string) {
  return dataOf(api.POST("/api/channel/{id}/state", { params: at(id), body: { state, reason } }));
}

/** Gives the incident's channel and another each other's priority. */
export function swapPriority(id: number, channel_id: number) {
  const body = { action: "swap_priority", channel_id } as const;
  return dataOf(api.POST("/api/incident/{id}/action", { params: at(id), body }));
}

/** Lets calls try so many upstreams. */
export function raiseAttempts(id: number, attempts: number) {
  const body = { action: "raise_attempts", attempts } as const;
  return dataOf(api.POST("/api/incident/{id}/action", { params: at(id), body }));
}

/** Every channel, to choose one to swap with. */
export const channelsQuery = queryOptions({
  queryKey: [INCIDENTS, "channels"],
  queryFn: ({ signal }) =>
    everyPage((p, page_size) =>
      dataOf(api.GET("/api/channel/", { params: { query: { p, page_size } }, signal })),
    ),
});

/** How many upstreams a call may try, and whether that can be changed here. */
export const attemptsQuery = queryOptions({
  queryKey: [INCIDENTS, "attempts"],
  queryFn: async ({ signal }) => {
    const settings = await dataOf(api.GET("/api/option/", { signal }));
    return settings.find(({ key }) => key === "routing.attempts");
  },
});

/** Sends a made-up alert to everybody who would hear of an incident. */
export function testAlerts() {
  return dataOf(api.POST("/api/incident/test"));
}
