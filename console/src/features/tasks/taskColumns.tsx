// The columns of the list of tasks.

import { Button, Progress, Stack, Text, VisuallyHidden } from "@mantine/core";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/lib/duration";
import type { Task } from "@/records/task";
import { taskState, taskText } from "@/said/task";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import { paceOf } from "./pace";
import { TaskName } from "./TaskName";

const TONES: Readonly<Record<string, Tone>> = {
  running: "busy",
  done: "good",
  failed: "bad",
  cancelled: "idle",
};

export function taskColumns(
  t: TFunction,
  language: string,
  onCancel: (id: string) => void,
): Column<Task>[] {
  return [
    {
      accessorKey: "kind",
      header: t("tasks.kind"),
      cell: ({ row: { original } }) => <TaskName task={original} />,
    },
    {
      accessorKey: "state",
      header: t("tasks.state"),
      cell: ({ row: { original } }) => (
        <StatusBadge
          tone={TONES[original.state] ?? "idle"}
          label={taskState(t, original.state)}
          reason={taskText(t, original)}
        />
      ),
    },
    {
      id: "progress",
      header: t("tasks.progress"),
      cell: ({ row: { original } }) => <TaskProgress task={original} language={language} />,
    },
    {
      accessorKey: "message",
      header: t("tasks.message"),
      cell: ({ row: { original } }) => (
        <Text size="sm" miw={180} maw={320} lineClamp={2} style={{ overflowWrap: "anywhere" }}>
          {taskText(t, original)}
        </Text>
      ),
    },
    {
      accessorKey: "created_at",
      header: t("tasks.begun"),
      cell: ({ row: { original } }) => <Time at={original.created_at} precision="second" />,
    },
    {
      id: "cancel",
      header: () => <VisuallyHidden>{t("tasks.acts")}</VisuallyHidden>,
      cell: ({ row: { original } }) =>
        original.state === "running" && (
          <Button
            size="compact-xs"
            variant="default"
            disabled={original.cancel_asked}
            onClick={() => onCancel(original.id)}
          >
            {original.cancel_asked ? t("tasks.cancelling") : t("tasks.cancel")}
          </Button>
        ),
    },
  ];
}

function TaskProgress({ task, language }: { task: Task; language: string }) {
  const { t } = useTranslation();
  const { perSecond, secondsLeft } = paceOf(task);
  const { done, total } = task;
  return (
    <Stack gap={2} miw={160}>
      <Text size="sm" style={{ fontVariantNumeric: "tabular-nums" }}>
        {total === null ? t("tasks.done", { done }) : t("tasks.doneOf", { done, total })}
      </Text>
      {total !== null && total > 0 && (
        <Progress value={(done / total) * 100} size="sm" aria-label={t("tasks.progress")} />
      )}
      {task.state === "running" && perSecond !== undefined && (
        <Text size="xs" c="dimmed">
          {t("tasks.rate", { rate: rateText(perSecond, language) })}
          {secondsLeft !== undefined &&
            ` · ${t("tasks.left", { duration: formatDuration(secondsLeft, language) })}`}
        </Text>
      )}
    </Stack>
  );
}

function rateText(perSecond: number, language: string): string {
  const maximumSignificantDigits = perSecond < 100 ? 2 : 3;
  return new Intl.NumberFormat(language, { maximumSignificantDigits }).format(perSecond);
}
