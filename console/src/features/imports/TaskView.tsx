// The task of a dry run, an import or an undo: how far it is, what it found, and what may follow.

import { Alert, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { RunningTask } from "@/records/RunningTask";
import { type Task, taskQuery } from "@/records/task";
import { taskText } from "@/said/task";
import { DataRegion } from "@/ui/DataRegion";
import { LaterTexts } from "@/ui/LaterTexts";
import { SectionCard } from "@/ui/SectionCard";
import { failureToast } from "@/ui/toast";
import { beginImport, type ImportReport, type ImportRequest, type UndoReport } from "./api";
import { ReportView } from "./ReportView";
import { UndoView } from "./UndoView";

export interface TaskViewProps {
  taskId: string;
  /** The request of this visit's dry run, which can be sent for good. */
  tried: ImportRequest | undefined;
  onBegun: (taskId: string) => void;
  onEnded: () => void;
}

export function TaskView({ taskId, tried, onBegun, onEnded }: TaskViewProps) {
  const task = useQuery(taskQuery(taskId));
  const hasEnded = task.data !== undefined && task.data.state !== "running";
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once for each task that ends.
  useEffect(() => {
    if (hasEnded) {
      onEnded();
    }
  }, [hasEnded]);
  return (
    <DataRegion query={task} skeletonHeight={160}>
      {(found) => (
        <LaterTexts>
          <Progressing task={found} tried={tried} onBegun={onBegun} />
        </LaterTexts>
      )}
    </DataRegion>
  );
}

type ProgressingProps = Pick<TaskViewProps, "tried" | "onBegun"> & { task: Task };

function Progressing({ task, tried, onBegun }: ProgressingProps) {
  const { t } = useTranslation();
  const text = taskText(t, task);
  const report = task.result as ImportReport | UndoReport | null;
  const isDryRun = report !== null && "dry_run" in report && report.dry_run;
  const reportTitle = isDryRun ? "imports.dryReport" : "imports.report";
  return (
    <SectionCard title={t(task.kind === "import_undo" ? "imports.undo" : reportTitle)}>
      {task.state === "running" && <Running task={task} />}
      {task.state !== "running" && (
        <Text size="sm" role="status">
          {task.state === "failed" ? t("imports.failed") : text}
        </Text>
      )}
      {task.state === "failed" && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle />}>
          {text}
        </Alert>
      )}
      {report !== null && "returned_quota" in report && <UndoView report={report} />}
      {report !== null && "dry_run" in report && <ReportView report={report} />}
      {isDryRun && task.state === "done" && <ForGood tried={tried} onBegun={onBegun} />}
    </SectionCard>
  );
}

function Running({ task }: { task: Task }) {
  const { t } = useTranslation();
  const { done, total } = task;
  const isKnown = typeof total === "number" && total > 0;
  return (
    <RunningTask
      task={task}
      label={t("imports.progress")}
      text={isKnown ? t("imports.doneOf", { done, total }) : t("imports.reading")}
      cancel={t("imports.cancel")}
    />
  );
}

/** After a dry run: the same file for good. Where the page was reloaded the file must be chosen again. */
function ForGood({ tried, onBegun }: Pick<TaskViewProps, "tried" | "onBegun">) {
  const { t } = useTranslation();
  const begin = useMutation({
    mutationFn: (request: ImportRequest) => beginImport({ ...request, isDryRun: false }),
    onSuccess: onBegun,
    onError: failureToast,
  });
  if (tried === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t("imports.chooseAgain")}
      </Text>
    );
  }
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {t("imports.canUndo")}
      </Text>
      <Button loading={begin.isPending} onClick={() => begin.mutate(tried)}>
        {t("imports.forGood")}
      </Button>
    </Group>
  );
}
