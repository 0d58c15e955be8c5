// The task that makes the users: how far it is, and what it did.

import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { failureToast } from "@/ui/toast";
import { USERS } from "./api";
import { ImportRows } from "./ImportRows";
import { cancelImport, type ImportReport, importTaskQuery, type Task } from "./importApi";

export interface ImportTaskProps {
  taskId: string;
  onBack: () => void;
}

export function ImportTask({ taskId, onBack }: ImportTaskProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const task = useQuery(importTaskQuery(taskId));
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
          {found.state === "running" ? <Running task={found} /> : <Ended task={found} />}
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

function Running({ task }: { task: Task }) {
  const { t } = useTranslation();
  const cancel = useMutation({ mutationFn: () => cancelImport(task.id), onError: failureToast });
  const { done, total } = task;
  const all = total ?? 0;
  return (
    <>
      <Progress
        value={all > 0 ? (done / all) * 100 : 0}
        animated
        aria-label={t("userImport.progress")}
      />
      <Group justify="space-between">
        <Text size="sm" role="status">
          {t("userImport.working", { done, total: all })}
        </Text>
        <Button
          variant="default"
          size="xs"
          disabled={task.cancel_asked}
          loading={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          {t("userImport.cancel")}
        </Button>
      </Group>
    </>
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
