// Open and past incidents, newest first.

import { SegmentedControl, Select, Stack } from "@mantine/core";
import { IconBroadcast, IconFlame } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { LaterTexts } from "@/ui/LaterTexts";
import { NoneMatch } from "@/ui/NoneMatch";
import { PageHead } from "@/ui/PageHead";
import { RouterButton } from "@/ui/RouterButton";
import { DataTable } from "@/ui/table/DataTable";
import { FilterBar } from "@/ui/table/FilterBar";
import { CursorControl, DEFAULT_PAGE_SIZE } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { AlertTest } from "./AlertTest";
import { incidentsQuery } from "./api";
import { incidentColumns } from "./incidentColumns";
import type { IncidentsSearch } from "./search";
import { useRuleName } from "./useRuleName";
import { RULES } from "./words";

const STATES = ["open", "closed"] as const;

export function IncidentsPage() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const ruleName = useRuleName();
  const [search, setSearch] = useUrlState<IncidentsSearch>();
  const { cursor, limit = DEFAULT_PAGE_SIZE, ...filter } = search;
  const incidents = useQuery({
    ...incidentsQuery(filter, cursor, limit),
    placeholderData: keepPreviousData,
  });
  const narrow = (patch: Parameters<typeof setSearch>[0]) =>
    setSearch({ ...patch, cursor: undefined });
  return (
    <Stack gap="lg">
      <PageHead
        title={t("incidents.title")}
        description={t("incidents.text")}
        actions={
          <>
            <AlertTest />
            <RouterButton
              to="/console/announcements"
              variant="default"
              leftSection={<IconBroadcast size={16} />}
            >
              {t("nav.announcements")}
            </RouterButton>
          </>
        }
      />
      <FilterBar>
        <SegmentedControl
          aria-label={t("incidents.state")}
          value={search.state ?? "all"}
          data={[
            { value: "all", label: t("incidents.all") },
            { value: "open", label: t("incidents.open") },
            { value: "closed", label: t("incidents.closed") },
          ]}
          onChange={(value) => narrow({ state: STATES.find((state) => state === value) })}
        />
        <Select
          aria-label={t("incidents.rule")}
          placeholder={t("incidents.rule")}
          w={240}
          clearable
          searchable
          data={RULES.map((rule) => ({ value: rule, label: ruleName(rule) }))}
          value={search.rule ?? null}
          onChange={(rule) => narrow({ rule: rule ?? undefined })}
        />
      </FilterBar>
      <DataRegion
        query={incidents}
        skeletonHeight={360}
        isEmpty={({ items }) => items.length === 0}
        emptyFirst={
          <Empty isFiltered={Object.keys(filter).length > 0} onClear={() => narrow(NO_FILTER)} />
        }
      >
        {({ items, next_cursor }) => (
          <LaterTexts>
            <Stack gap="sm">
              <DataTable
                label={t("incidents.title")}
                columns={incidentColumns(t, i18n.language, ruleName)}
                rows={items}
                rowId={({ id }) => String(id)}
                onOpen={({ id }) =>
                  void navigate({ to: "/console/incidents/$id", params: { id: String(id) } })
                }
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

const NO_FILTER = { state: undefined, rule: undefined, severity: undefined } as const;

function Empty({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  if (isFiltered) {
    return <NoneMatch title={t("incidents.noneMatch")} onClear={onClear} />;
  }
  return (
    <EmptyFirst icon={IconFlame} title={t("incidents.empty")} text={t("incidents.emptyText")} />
  );
}
