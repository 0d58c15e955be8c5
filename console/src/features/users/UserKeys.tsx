import { Button, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { Money } from "@/ui/Money";
import { StatusBadge } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { failureToast, undoToast } from "@/ui/toast";
import { useUrlState } from "@/ui/useUrlState";
import { USERS } from "./api";
import { type ApiKey, setKeyPaused, userKeysQuery } from "./detailApi";
import type { UserSearch } from "./search";

const SKELETON_HEIGHT = 240;
const PAUSED = 2;

/** A user's API keys; they can be paused, but nobody else learns a secret. */
export function UserKeys({ userId, canManage }: { userId: number; canManage: boolean }) {
  const { t } = useTranslation();
  const [{ p = 1, page_size = DEFAULT_PAGE_SIZE }, setSearch] = useUrlState<UserSearch>();
  const keys = useQuery(userKeysQuery(userId, p, page_size));
  return (
    <DataRegion
      query={keys}
      skeletonHeight={SKELETON_HEIGHT}
      isEmpty={({ total }) => total === 0}
      emptyFirst={
        <EmptyFirst icon={IconKey} title={t("users.noKeys")} text={t("users.noKeysText")} />
      }
    >
      {({ items, total }) => (
        <Stack gap="sm">
          <DataTable
            label={t("users.section.keys")}
            columns={columns(t, canManage)}
            rows={items}
            rowId={(key) => String(key.id)}
          />
          <PageControl page={p} pageSize={page_size} total={total} onChange={setSearch} />
        </Stack>
      )}
    </DataRegion>
  );
}

function columns(t: TFunction, canManage: boolean): Column<ApiKey>[] {
  return [
    {
      id: "name",
      header: t("users.keys.name"),
      cell: ({ row: { original } }) => (
        <Stack gap={0} maw={280}>
          <Text size="sm" fw={600} truncate title={original.name}>
            {original.name}
          </Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {`${original.prefix}…`}
          </Text>
        </Stack>
      ),
    },
    {
      id: "status",
      header: t("users.column.status"),
      cell: ({ row }) =>
        row.original.status === PAUSED ? (
          <StatusBadge tone="idle" label={t("users.keys.paused")} />
        ) : (
          <StatusBadge tone="good" label={t("users.keys.works")} />
        ),
    },
    {
      id: "used",
      header: t("users.column.spent"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.used_quota_usd} />,
    },
    {
      id: "last_used_at",
      header: t("users.keys.lastUsed"),
      cell: ({ row }) => <Time at={row.original.last_used_at} reason={t("users.keys.unused")} />,
    },
    {
      id: "expires_at",
      header: t("users.keys.expires"),
      cell: ({ row }) => <Time at={row.original.expires_at} reason={t("users.keys.never")} />,
    },
    {
      id: "pause",
      header: () => <VisuallyHidden>{t("users.keys.acts")}</VisuallyHidden>,
      meta: { align: "end" },
      cell: ({ row }) => <PauseButton apiKey={row.original} canManage={canManage} />,
    },
  ];
}

function PauseButton({ apiKey, canManage }: { apiKey: ApiKey; canManage: boolean }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: [USERS, "keys"] });
  const isPaused = apiKey.status === PAUSED;
  const toggle = useMutation({
    mutationFn: () => setKeyPaused(apiKey.id, !isPaused),
    onSuccess: async () => {
      await refresh();
      undoToast(
        t(isPaused ? "users.keys.resumed" : "users.keys.isPaused", { name: apiKey.name }),
        () => void setKeyPaused(apiKey.id, isPaused).then(refresh, failureToast),
      );
    },
    onError: failureToast,
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      disabled={!canManage || apiKey.is_declared}
      loading={toggle.isPending}
      aria-label={t(isPaused ? "users.keys.resumeOne" : "users.keys.pauseOne", {
        name: apiKey.name,
      })}
      onClick={() => toggle.mutate()}
    >
      {t(isPaused ? "users.keys.resume" : "users.keys.pause")}
    </Button>
  );
}
