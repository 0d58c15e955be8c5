// Who did what to which thing, field by field, and from where.

import { Anchor, Stack, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { Unknown } from "@/ui/Money";
import { NoneMatch } from "@/ui/NoneMatch";
import { PageHead } from "@/ui/PageHead";
import { Time } from "@/ui/Time";
import { CsvButton } from "@/ui/table/CsvButton";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { CursorControl, DEFAULT_PAGE_SIZE } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { AuditDrawer } from "./AuditDrawer";
import { AuditFilters } from "./AuditFilters";
import { type AuditEntry, type AuditFilter, auditQuery, everyEntry } from "./api";
import { fieldChanges } from "./fieldChanges";

export interface AuditSearch extends AuditFilter {
  cursor?: string;
  limit?: number;
  /** The open entry. */
  entry?: number;
}

export function AuditPage() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<AuditSearch>();
  const { cursor, limit = DEFAULT_PAGE_SIZE, entry, ...filter } = search;
  const page = useQuery({
    ...auditQuery(filter, cursor, limit),
    placeholderData: keepPreviousData,
  });
  const columns = auditColumns(t, (id) => setSearch({ entry: id }, { push: true }));
  const isFiltered = Object.keys(filter).length > 0;
  const clear = () =>
    setSearch({
      action: undefined,
      object_kind: undefined,
      object_id: undefined,
      actor_id: undefined,
      from: undefined,
      to: undefined,
      cursor: undefined,
    });
  return (
    <Stack gap="lg">
      <PageHead
        title={t("audit.title")}
        description={t("audit.text")}
        actions={<CsvButton name="audit" columns={columns} rows={() => everyEntry(filter)} />}
      />
      <AuditFilters
        filter={filter}
        onChange={(patch) => setSearch({ ...patch, cursor: undefined })}
      />
      <DataRegion
        query={page}
        skeletonHeight={420}
        isEmpty={({ items }) => items.length === 0}
        emptyFirst={
          isFiltered ? (
            <NoneMatch
              title={t("audit.noneMatch")}
              text={t("audit.noneMatchText")}
              onClear={clear}
            />
          ) : (
            <EmptyFirst icon={IconHistory} title={t("audit.empty")} text={t("audit.emptyText")} />
          )
        }
      >
        {({ items, next_cursor }) => (
          <Stack gap="sm">
            <DataTable
              label={t("audit.title")}
              columns={columns}
              rows={items}
              rowId={({ id }) => String(id)}
              onOpen={({ id }) => setSearch({ entry: id }, { push: true })}
            />
            <CursorControl
              isFirst={cursor === undefined}
              nextCursor={next_cursor}
              limit={limit}
              onChange={(change) => setSearch(change, { push: true })}
            />
            <AuditDrawer
              entry={items.find(({ id }) => id === entry)}
              onClose={() => setSearch({ entry: undefined })}
            />
          </Stack>
        )}
      </DataRegion>
    </Stack>
  );
}

function auditColumns(t: TFunction, onOpen: (id: number) => void): Column<AuditEntry>[] {
  return [
    {
      accessorKey: "created_at",
      header: t("audit.time"),
      cell: ({ row: { original } }) => <Time at={original.created_at} precision="second" />,
    },
    {
      accessorKey: "actor",
      header: t("audit.actor"),
      cell: ({ row: { original } }) =>
        original.actor === null ? <Unknown reason={t("audit.program")} /> : original.actor,
    },
    {
      accessorKey: "action",
      header: t("audit.action"),
      cell: ({ row: { original } }) => (
        <Anchor component="button" type="button" size="sm" onClick={() => onOpen(original.id)}>
          {original.action}
        </Anchor>
      ),
    },
    {
      id: "object",
      header: t("audit.object"),
      meta: { csv: ({ object_kind, object_id }) => `${object_kind} ${object_id}` },
      cell: ({ row: { original } }) => (
        <Text size="sm" maw={180} truncate>
          {original.object_kind} {original.object_id}
        </Text>
      ),
    },
    {
      id: "fields",
      header: t("audit.fields"),
      meta: { csv: ({ changes }) => JSON.stringify(changes) },
      cell: ({ row: { original } }) => (
        <Text size="sm" c="dimmed" maw={200} truncate>
          {fieldChanges(original.changes)
            .map(({ field }) => field)
            .join(", ")}
        </Text>
      ),
    },
    { accessorKey: "outcome", header: t("audit.outcome") },
    {
      accessorKey: "ip",
      header: t("audit.ip"),
      cell: ({ row: { original } }) => original.ip ?? <Unknown />,
    },
  ];
}
