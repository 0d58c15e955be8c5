// Long tasks with their progress; a running one can be asked to end.

import {
  Button,
  Group,
  Progress,
  Select,
  Stack,
  Switch,
  Text,
  VisuallyHidden,
} from "@mantine/core";
import { IconListCheck } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/lib/duration";
import { cancelTask, type Task } from "@/records/task";
import { useSession } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { NoneMatch } from "@/ui/NoneMatch";
import { PageHead } from "@/ui/PageHead";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { CursorControl, DEFAULT_PAGE_SIZE } from "@/ui/table/PageControl";
import { failureToast } from "@/ui/toast";
import { useUrlState } from "@/ui/useUrlState";
import { type TaskFilter, tasksQuery } from "./api";
import { paceOf } from "./pace";
import { TaskName } from "./TaskName";

export interface TasksSearch extends TaskFilter {
  cursor?: string;
  limit?: number;
}

const STATE_TEXT = {
  running: "tasks.state.running",
  done: "tasks.state.done",
  failed: "tasks.state.failed",
  cancelled: "tasks.state.cancelled",
} as const;

const TONES: Readonly<Record<string, Tone>> = {
  running: "busy",
  done: "good",
  failed: "bad",
  cancelled: "idle",
};

type State = keyof typeof STATE_TEXT;
const STATES = Object.keys(STATE_TEXT) as State[];

export function TasksPage() {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const { isAdministrator } = useSession();
  const [search, setSearch] = useUrlState<TasksSearch>();
  const { cursor, limit = DEFAULT_PAGE_SIZE, scope, state } = search;
  const filter = {
    ...(scope === undefined ? {} : { scope }),
    ...(state === undefined ? {} : { state }),
  };
  const tasks = useQuery({
    ...tasksQuery(filter, cursor, limit),
    placeholderData: keepPreviousData,
  });
  const cancel = async (id: string) => {
    await cancelTask(id).catch(failureToast);
    await client.invalidateQueries({ queryKey: ["tasks"] });
  };
  return (
    <Stack gap="lg">
      <PageHead title={t("tasks.title")} description={t("tasks.text")} />
      <Group gap="md">
        <Select
          aria-label={t("tasks.state")}
          placeholder={t("tasks.state")}
          data={STATES.map((each) => ({ value: each, label: t(STATE_TEXT[each]) }))}
          value={state ?? null}
          clearable
          onChange={(next) => setSearch({ state: next ?? undefined, cursor: undefined })}
        />
        {isAdministrator && (
          <Switch
            label={t("tasks.everybody")}
            checked={scope === "all"}
            onChange={(event) =>
              setSearch({
                scope: event.currentTarget.checked ? "all" : undefined,
                cursor: undefined,
              })
            }
          />
        )}
      </Group>
      <DataRegion
        query={tasks}
        skeletonHeight={320}
        isEmpty={({ items }) => items.length === 0}
        emptyFirst={
          state === undefined ? (
            <EmptyFirst icon={IconListCheck} title={t("tasks.empty")} text={t("tasks.emptyText")} />
          ) : (
            <NoneMatch
              title={t("tasks.noneMatch")}
              onClear={() => setSearch({ state: undefined, cursor: undefined })}
            />
          )
        }
      >
        {({ items, next_cursor }) => (
          <Stack gap="sm">
            <DataTable
              label={t("tasks.title")}
              columns={taskColumns(t, i18n.language, (id) => void cancel(id))}
              rows={items}
              rowId={({ id }) => id}
            />
            <CursorControl
              isFirst={cursor === undefined}
              nextCursor={next_cursor}
              limit={limit}
              onChange={(change) => setSearch(change, { push: true })}
            />
          </Stack>
        )}
      </DataRegion>
    </Stack>
  );
}

function taskColumns(
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
          label={t(STATE_TEXT[original.state as State] ?? STATE_TEXT.failed)}
          reason={original.message}
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
          {original.message}
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
