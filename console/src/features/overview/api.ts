// What the overview asks for. Ranges begin at midnight of the reader's day, and "yesterday" is the same
// stretch of the day before, so that the comparison is fair at any hour.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Scope = "self" | "all";
export type Sums = Schema<"Sums">;

const DAY_MS = 86_400_000;
const EVERY_MS = 30_000;
const HOUR_S = 3_600;

/** Midnight of the reader's day. */
function dayStart(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}

/** The same moment some days before. */
function daysBefore(moment: Date, days: number): Date {
  return new Date(moment.getTime() - days * DAY_MS);
}

function range(from: Date, to: Date): { from: string; to: string } {
  return { from: from.toISOString(), to: to.toISOString() };
}

export interface Today {
  today: Sums;
  /** Until the same time of the day. */
  yesterday: Sums;
}

/** Today so far beside yesterday until the same time. */
export function todayQuery(scope: Scope) {
  return queryOptions({
    queryKey: ["overview", "today", scope],
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }): Promise<Today> => {
      const now = new Date();
      const start = dayStart(now);
      const sums = async (days: number) => {
        const query = { scope, ...range(daysBefore(start, days), daysBefore(now, days)) };
        return (await dataOf(api.GET("/api/stats/summary", { params: { query }, signal }))).current;
      };
      const [today, yesterday] = await Promise.all([sums(0), sums(1)]);
      return { today, yesterday };
    },
  });
}

/** Hour by hour, the last day. */
export function hoursQuery(scope: Scope) {
  return queryOptions({
    queryKey: ["overview", "hours", scope],
    refetchInterval: EVERY_MS,
    queryFn: ({ signal }) => {
      const now = new Date();
      const query = { scope, step_s: HOUR_S, ...range(daysBefore(now, 1), now) };
      return dataOf(api.GET("/api/stats/timeseries", { params: { query }, signal }));
    },
  });
}

/** What the last seven days cost, for the pace. */
export const weekQuery = queryOptions({
  queryKey: ["overview", "week"],
  queryFn: async ({ signal }) => {
    const now = new Date();
    const query = { scope: "self", ...range(daysBefore(now, 7), now) };
    return (await dataOf(api.GET("/api/stats/summary", { params: { query }, signal }))).current;
  },
});

export function topQuery(by: "model" | "user") {
  return queryOptions({
    queryKey: ["overview", "top", by],
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }) => {
      const now = new Date();
      const query = { scope: "all", by, limit: 5, ...range(daysBefore(now, 1), now) };
      return (await dataOf(api.GET("/api/stats/top", { params: { query }, signal }))).items;
    },
  });
}

export const errorsQuery = queryOptions({
  queryKey: ["overview", "errors"],
  refetchInterval: EVERY_MS,
  queryFn: ({ signal }) => {
    const now = new Date();
    const query = range(daysBefore(now, 1), now);
    return dataOf(api.GET("/api/stats/errors", { params: { query }, signal }));
  },
});

export const coverageQuery = queryOptions({
  queryKey: ["overview", "coverage"],
  refetchInterval: EVERY_MS,
  queryFn: ({ signal }) => dataOf(api.GET("/api/route/coverage", { signal })),
});

/** Up to 100 channels; the page says when there are more. */
export const channelsQuery = queryOptions({
  queryKey: ["overview", "channels"],
  refetchInterval: EVERY_MS,
  queryFn: ({ signal }) => {
    const query = { p: 1, page_size: 100 };
    return dataOf(api.GET("/api/channel/", { params: { query }, signal }));
  },
});

export const ownKeysQuery = queryOptions({
  queryKey: ["overview", "keys"],
  queryFn: ({ signal }) => {
    const query = { p: 1, page_size: 100 };
    return dataOf(api.GET("/api/token/", { params: { query }, signal }));
  },
});

export const lastCallsQuery = queryOptions({
  queryKey: ["overview", "calls"],
  refetchInterval: EVERY_MS,
  queryFn: async ({ signal }) => {
    const query = { limit: 5 };
    return (await dataOf(api.GET("/api/log/self", { params: { query }, signal }))).items;
  },
});

/** What of the service is set that every installation should set; administrators only. */
export const serviceSettingsQuery = queryOptions({
  queryKey: ["overview", "settings"],
  queryFn: async ({ signal }) => {
    const options = await dataOf(api.GET("/api/option/", { signal }));
    const settingOf = (name: string) => options.find(({ key }) => key === name)?.value ?? "";
    const limits = ["limits.rpm", "limits.tpm", "limits.concurrency"];
    return {
      hasAddress: settingOf("server.public_url") !== "",
      hasLimits: limits.some((name) => Number(settingOf(name)) > 0),
    };
  },
});

/** Whether the gateway makes copies of its records, and whether somebody ever took one; root only. */
export const backupQuery = queryOptions({
  queryKey: ["overview", "backup"],
  queryFn: async ({ signal }) => {
    const query = { action: "backup.make", limit: 1 };
    const [system, made] = await Promise.all([
      dataOf(api.GET("/api/system/", { signal })),
      dataOf(api.GET("/api/audit/", { params: { query }, signal })),
    ]);
    return { isOffered: system.database.engine === "sqlite", isMade: made.items.length > 0 };
  },
});
