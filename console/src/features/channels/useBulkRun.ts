// An act on many channels as the gateway's task: it goes on without this page, and can be stopped.

import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { cancelTask, taskQuery } from "@/records/task";
import { taskText } from "@/said/task";
import { failureToast } from "@/ui/toast";
import { beginBatch } from "./api";
import { type BulkAction, batchOf, type Effect } from "./bulk";
import { useRefreshChannels } from "./useRefreshChannels";

export interface BulkRun {
  /** Whether one was begun. */
  isBegun: boolean;
  isRunning: boolean;
  done: number;
  total: number;
  /** Which were left out and why, once it has ended. */
  message: string;
  failure: Error | undefined;
  start: (effects: readonly Effect[], action: BulkAction) => void;
  stop: () => void;
}

export function useBulkRun(): BulkRun {
  const { t } = useTranslation();
  const refresh = useRefreshChannels();
  const isStopAsked = useRef(false);
  const begin = useMutation({
    mutationFn: ([effects, action]: [readonly Effect[], BulkAction]) =>
      beginBatch(batchOf(effects, action)),
    // Asked to stop before the gateway had told its task.
    onSuccess: ({ task_id }) => {
      if (isStopAsked.current && task_id !== null) {
        void cancelTask(task_id).catch(failureToast);
      }
    },
  });
  const taskId = begin.data?.task_id ?? undefined;
  const { data: task } = useQuery(taskQuery(taskId));
  const hasEnded = task !== undefined && task.state !== "running";
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is read again once for each end.
  useEffect(() => {
    if (hasEnded) {
      void refresh();
    }
  }, [hasEnded]);
  return {
    isBegun: begin.isPending || begin.isSuccess,
    isRunning: !hasEnded,
    done: task?.done ?? 0,
    total: task?.total ?? begin.data?.count ?? 0,
    message: hasEnded ? taskText(t, task) : "",
    failure: begin.error ?? undefined,
    start: (effects, action) => begin.mutate([effects, action]),
    stop: () => {
      isStopAsked.current = true;
      if (taskId !== undefined) {
        void cancelTask(taskId).catch(failureToast);
      }
    },
  };
}
