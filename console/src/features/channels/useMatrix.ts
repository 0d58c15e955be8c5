// The matrix of the address: the gateway runs it as a task, so a reload or another tab finds it again.

import { useMutation, useQuery } from "@tanstack/react-query";
import { cancelTask, taskQuery } from "@/records/task";
import { failureToast } from "@/ui/toast";
import { beginMatrix } from "./api";
import { runOf } from "./matrix";

export function useMatrix(taskId: string | undefined, onBegun: (taskId: string) => void) {
  const task = useQuery(taskQuery(taskId));
  const begin = useMutation({
    mutationFn: beginMatrix,
    onSuccess: ({ task_id }) => onBegun(task_id),
    onError: failureToast,
  });
  return {
    run: task.data === undefined ? undefined : runOf(task.data),
    isBeginning: begin.isPending,
    start: begin.mutate,
    stop: () => taskId !== undefined && void cancelTask(taskId).catch(failureToast),
  };
}
