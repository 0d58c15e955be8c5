// The task that makes the users: how far it is, and what it did.

import { Alert, Button, Group, Stack } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { RunningTask } from "@/records/RunningTask";
import { type Task, taskQuery } from "@/records/task";
import { DataRegion } from "@/ui/DataRegion";
import { USERS } from "./api";
import { ImportRows } from "./ImportRows";
import type { ImportReport } from "./importApi";

export interface ImportTaskProps {
  taskId: string;
  onBack: () => void;
}

export function ImportTask({ taskId, onBack }: ImportTaskProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const task = useQuery(taskQuery(taskId));
  const hasEnded = task.data !== undefined && task.data.state !== "running";
  useEffect(() => {
    if (hasEnded) {
      void client.invalidateQueries({ queryKey: [USERS, "list"] });
    }
  }, [hasEnded, client]);
  return (
    <DataRegion query={task} skeletonHeight={160}>
      {(found) => (
        <Stack gap="md">
          {found.state === "running" ? (
            <RunningTask
              task={found}
              label={t("userImport.progress")}
              text={t("userImport.working", { done: found.done, total: found.total ?? 0 })}
              cancel={t("userImport.cancel")}
            />
          ) : (
            <Ended task={found} />
          )}
          {hasEnded && (
            <Group justify="flex-end">
              <Button variant="default" onClick={onBack}>
                {t("userImport.other")}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </DataRegion>
  );
}

function Ended({ task }: { task: Task }) {
  const { t } = useTranslation();
  const report = task.result as ImportReport | null;
  return (
    <>
      {task.state !== "done" && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle />}>
          {t(task.state === "cancelled" ? "userImport.cancelled" : "userImport.failed")}
        </Alert>
      )}
      {report !== null && <ImportRows report={report} />}
    </>
  );
}
