import { ActionIcon, Indicator, Popover, Progress, Stack, Text } from "@mantine/core";
import { IconProgress } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf, type Schema } from "@/api/management";
import { taskName, taskState } from "@/said/task";
import { RouterAnchor } from "@/ui/RouterAnchor";

const IDLE_MS = 30_000;
const BUSY_MS = 3_000;

const tasksQuery = queryOptions({
  queryKey: ["frame", "tasks"],
  queryFn: async ({ signal }) => {
    const query = { limit: 5 };
    return (await dataOf(api.GET("/api/task/", { params: { query }, signal }))).items;
  },
  refetchInterval: ({ state }) =>
    state.data?.some(({ state: each }) => each === "running") === true ? BUSY_MS : IDLE_MS,
});

/** One's own long tasks: how many run, and how far they are. Nothing while there never was one. */
export function TaskTray() {
  const { t } = useTranslation();
  const { data: tasks = [] } = useQuery(tasksQuery);
  const running = tasks.filter(({ state }) => state === "running").length;
  if (tasks.length === 0) {
    return null;
  }
  return (
    <Popover position="bottom-end" width={320} withinPortal={false} trapFocus>
      <Indicator disabled={running === 0} label={running} size={16} offset={8}>
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t("frame.task.tray", { count: running })}
          >
            <IconProgress size={20} stroke={1.6} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label={t("tasks.title")}>
        <Stack gap="sm">
          {tasks.map((task) => (
            <TaskLine key={task.id} task={task} />
          ))}
          <RouterAnchor to="/console/tasks" size="sm">
            {t("frame.task.all")}
          </RouterAnchor>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function TaskLine({ task }: { task: Schema<"Task"> }) {
  const { t } = useTranslation();
  const { state, done, total } = task;
  const name = taskName(t, task.kind);
  return (
    <div>
      <Text size="sm" fw={600} truncate="end">
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {taskState(t, state)} {total === null || total === undefined ? done : `${done} / ${total}`}
      </Text>
      {state === "running" && typeof total === "number" && total > 0 && (
        <Progress size="xs" value={(done / total) * 100} aria-label={name} />
      )}
    </div>
  );
}
