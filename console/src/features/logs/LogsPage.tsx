import { Box, Button, Group, SegmentedControl, Stack, Switch } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { NoneMatch } from "@/ui/NoneMatch";
import { PageHead } from "@/ui/PageHead";
import { ColumnChooser } from "@/ui/table/ColumnChooser";
import { DataTable } from "@/ui/table/DataTable";
import { CursorControl, DEFAULT_PAGE_SIZE } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { type Call, callsQuery, type Scope } from "./api";
import { ExportMenu } from "./ExportMenu";
import { LiveBar } from "./LiveBar";
import { LogDrawer } from "./LogDrawer";
import { LogFilters } from "./LogFilters";
import { logColumns } from "./logColumns";
import { RunningCallsCard } from "./RunningCallsCard";
import { filterOf, type LogsSearch, withoutFilters } from "./search";
import { useTail } from "./useTail";

/** Every call that the gateway answered: filtered, live, and each in detail. */
export function LogsPage() {
  const { t } = useTranslation();
  const { isAdministrator } = useSession();
  const [search, setSearch] = useUrlState<LogsSearch>();
  const scope: Scope = isAdministrator && search.scope === undefined ? "all" : "self";
  const isLive = search.live === true;
  const { limit = DEFAULT_PAGE_SIZE, hide } = search;
  const columns = useMemo(() => logColumns(t, scope), [t, scope]);
  const [isReading, setReading] = useState(false);
  const calls = useQuery(callsQuery(search, scope, limit));
  const filter = useMemo(() => filterOf(search), [search]);
  const tail = useTail({
    isOn: isLive,
    isHeld: isReading || search.open !== undefined,
    scope,
    filter,
  });
  const rows = isLive ? merged(tail.shown, calls.data?.items) : calls.data?.items;
  const open = (id: string | undefined) =>
    setSearch({ open: id }, { push: search.open === undefined });
  return (
    <Stack gap="lg">
      <PageHead title={t("logs.title")} description={t("logs.text")} />
      <LogFilters key={scope} search={search} scope={scope} onChange={setSearch} />
      <Group justify="space-between" gap="md">
        <Group gap="md">
          {isAdministrator && <ScopeSwitch scope={scope} onChange={setSearch} />}
          <Switch
            label={t("logs.live")}
            checked={isLive}
            onChange={() => setSearch({ live: isLive ? undefined : true, cursor: undefined })}
          />
        </Group>
        <Group gap="xs">
          <ColumnChooser
            columns={columns}
            hidden={hide}
            onChange={(hidden) => setSearch({ hide: hidden })}
          />
          <ExportMenu search={search} scope={scope} />
        </Group>
      </Group>
      {isLive && <LiveBar tail={tail} />}
      {isLive && <RunningCallsCard running={tail.running} scope={scope} />}
      <DataRegion
        query={{ ...calls, data: rows && { rows, next: calls.data?.next_cursor } }}
        skeletonHeight={420}
        isEmpty={(data) => data.rows.length === 0}
        emptyFirst={<Nothing isFiltered={Object.keys(filter).length > 0} onChange={setSearch} />}
      >
        {(data) => (
          <Stack gap="md">
            {/* Nothing moves under the pointer: while it is here, new rows wait. */}
            <Box onMouseEnter={() => setReading(true)} onMouseLeave={() => setReading(false)}>
              <DataTable
                label={t("logs.title")}
                columns={columns}
                rows={data.rows}
                rowId={({ request_id }) => request_id}
                hidden={hide}
                onOpen={({ request_id }) => open(request_id)}
              />
            </Box>
            {!isLive && (
              <CursorControl
                isFirst={search.cursor === undefined}
                nextCursor={data.next}
                limit={limit}
                onChange={(change) => setSearch(change, { push: true })}
              />
            )}
          </Stack>
        )}
      </DataRegion>
      <LogDrawer
        requestId={search.open}
        ids={(rows ?? []).map(({ request_id }) => request_id)}
        onOpen={open}
      />
    </Stack>
  );
}

/** What streamed in, above what was there. */
function merged(shown: readonly Call[], before: readonly Call[] = []): Call[] {
  const known = new Set(shown.map(({ request_id }) => request_id));
  return [...shown, ...before.filter(({ request_id }) => !known.has(request_id))];
}

type Change = ReturnType<typeof useUrlState<LogsSearch>>[1];

function ScopeSwitch({ scope, onChange }: { scope: Scope; onChange: Change }) {
  const { t } = useTranslation();
  return (
    <SegmentedControl
      aria-label={t("logs.whose")}
      data={[
        { value: "all", label: t("logs.everybody") },
        { value: "self", label: t("logs.own") },
      ]}
      value={scope}
      onChange={(value) =>
        onChange(
          { ...(value === "self" ? { scope: "self" } : { scope: undefined }), cursor: undefined },
          { push: true },
        )
      }
    />
  );
}

function Nothing({ isFiltered, onChange }: { isFiltered: boolean; onChange: Change }) {
  const { t } = useTranslation();
  if (isFiltered) {
    return (
      <NoneMatch
        title={t("logs.noneMatch")}
        text={t("logs.noneMatchText")}
        onClear={() => onChange(withoutFilters())}
      />
    );
  }
  return (
    <EmptyFirst
      icon={IconFileText}
      title={t("logs.emptyTitle")}
      text={t("logs.emptyText")}
      action={
        <Button component={Link} to="/console/connect">
          {t("logs.connect")}
        </Button>
      }
    />
  );
}
