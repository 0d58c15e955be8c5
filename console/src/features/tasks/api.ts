// Long tasks: one's own, or for administrators everybody's.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "@/api/management";

export interface TaskFilter {
  scope?: "all";
  state?: string;
}

const RUNNING_MS = 1_500;
const IDLE_MS = 10_000;

export function tasksQuery(filter: TaskFilter, cursor: string | undefined, limit: number) {
  return queryOptions({
    queryKey: ["tasks", filter, cursor ?? null, limit],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/task/", {
          params: {
            query: {
              cursor: cursor ?? null,
              limit,
              scope: filter.scope ?? null,
              state: filter.state ?? null,
            },
          },
          signal,
        }),
      ),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => state === "running") === true ? RUNNING_MS : IDLE_MS,
  });
}
