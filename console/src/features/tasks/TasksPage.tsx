// Long tasks with their progress; a running one can be asked to end.

import { Select, Stack, Switch } from "@mantine/core";
import { IconListCheck } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { cancelTask } from "@/records/task";
import { TASK_STATES, taskState } from "@/said/task";
import { useSession } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { LaterTexts } from "@/ui/LaterTexts";
import { NoneMatch } from "@/ui/NoneMatch";
import { PageHead } from "@/ui/PageHead";
import { DataTable } from "@/ui/table/DataTable";
import { FilterBar } from "@/ui/table/FilterBar";
import { CursorControl, DEFAULT_PAGE_SIZE } from "@/ui/table/PageControl";
import { failureToast } from "@/ui/toast";
import { useUrlState } from "@/ui/useUrlState";
import { type TaskFilter, tasksQuery } from "./api";
import { taskColumns } from "./taskColumns";

export interface TasksSearch extends TaskFilter {
  cursor?: string;
  limit?: number;
}

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
      <FilterBar>
        <Select
          aria-label={t("tasks.state")}
          placeholder={t("tasks.state")}
          data={Object.keys(TASK_STATES).map((each) => ({
            value: each,
            label: taskState(t, each),
          }))}
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
      </FilterBar>
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
          <LaterTexts>
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
          </LaterTexts>
        )}
      </DataRegion>
    </Stack>
  );
}
