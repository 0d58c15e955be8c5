import { Code, Stack, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { CursorControl, DEFAULT_PAGE_SIZE } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { fieldChanges } from "./auditChanges";
import { type AuditEntry, userAuditQuery } from "./detailApi";
import type { UserSearch } from "./search";

const SKELETON_HEIGHT = 240;

/** What was done to the account, by whom, field by field. */
export function UserAudit({ userId }: { userId: number }) {
  const { t } = useTranslation();
  const [{ cursor, limit = DEFAULT_PAGE_SIZE }, setSearch] = useUrlState<UserSearch>();
  const entries = useQuery(userAuditQuery(userId, cursor, limit));
  return (
    <DataRegion
      query={entries}
      skeletonHeight={SKELETON_HEIGHT}
      isEmpty={({ items }) => items.length === 0}
      emptyFirst={
        <EmptyFirst icon={IconHistory} title={t("users.audit.none")} text={t("users.audit.text")} />
      }
    >
      {({ items, next_cursor }) => (
        <Stack gap="sm">
          <DataTable
            label={t("users.section.audit")}
            columns={columns(t)}
            rows={items}
            rowId={(entry) => String(entry.id)}
          />
          <CursorControl
            isFirst={cursor === undefined}
            nextCursor={next_cursor}
            limit={limit}
            onChange={setSearch}
          />
        </Stack>
      )}
    </DataRegion>
  );
}

function columns(t: TFunction): Column<AuditEntry>[] {
  return [
    {
      id: "time",
      header: t("users.time"),
      cell: ({ row }) => <Time at={row.original.created_at} precision="second" />,
    },
    {
      id: "actor",
      header: t("users.audit.actor"),
      cell: ({ row }) => row.original.actor ?? t("users.audit.program"),
    },
    {
      id: "action",
      header: t("users.audit.action"),
      cell: ({ row }) => <Code>{row.original.action}</Code>,
    },
    {
      id: "changes",
      header: t("users.audit.changes"),
      cell: ({ row }) => <Changes changes={row.original.changes} />,
    },
    {
      id: "ip",
      header: t("users.audit.from"),
      cell: ({ row }) => row.original.ip ?? "—",
    },
  ];
}

function Changes({ changes }: { changes: unknown }) {
  return (
    <Stack gap={2} miw={220}>
      {fieldChanges(changes).map(({ field, from, to }) => (
        <Text key={field} size="xs" style={{ overflowWrap: "anywhere" }}>
          {`${field}: `}
          <Text span inherit c="dimmed">
            {from}
          </Text>
          {" → "}
          {to}
        </Text>
      ))}
    </Stack>
  );
}
