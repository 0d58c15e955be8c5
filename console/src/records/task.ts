// One task of the gateway, wherever it is watched.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Task = Schema<"Task">;

const RUNNING_MS = 500;

/** A task, looked at until it has ended; asks nothing as long as there is none. */
export function taskQuery(task_id = "") {
  return queryOptions({
    queryKey: ["task", task_id],
    enabled: task_id !== "",
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/task/{task_id}", { params: { path: { task_id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.state === "running" ? RUNNING_MS : false),
  });
}

export function cancelTask(task_id: string) {
  return dataOf(api.POST("/api/task/{task_id}/cancel", { params: { path: { task_id } } }));
}
