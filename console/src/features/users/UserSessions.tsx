import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDevices } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { browserName } from "@/lib/browserName";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { failureToast, toast } from "@/ui/toast";
import { endSessions, type LoginSession, userSessionsQuery } from "./detailApi";

const SKELETON_HEIGHT = 200;

/** Where a user is signed in, and ending all of it. */
export function UserSessions({ userId, canManage }: { userId: number; canManage: boolean }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const sessions = useQuery(userSessionsQuery(userId));
  const end = useMutation({
    mutationFn: () => endSessions(userId),
    onSuccess: async () => {
      toast(t("users.sessions.ended"));
      await client.invalidateQueries({ queryKey: userSessionsQuery(userId).queryKey });
    },
    onError: failureToast,
  });
  return (
    <DataRegion
      query={sessions}
      skeletonHeight={SKELETON_HEIGHT}
      isEmpty={(list) => list.length === 0}
      emptyFirst={
        <EmptyFirst
          icon={IconDevices}
          title={t("users.sessions.none")}
          text={t("users.sessions.noneText")}
        />
      }
    >
      {(list) => (
        <Stack gap="sm">
          <Group justify="flex-end">
            <Button
              variant="default"
              size="xs"
              disabled={!canManage}
              loading={end.isPending}
              onClick={() => end.mutate()}
            >
              {t("users.sessions.end")}
            </Button>
          </Group>
          <DataTable
            label={t("users.section.sessions")}
            columns={columns(t)}
            rows={list}
            rowId={(session) => String(session.id)}
          />
        </Stack>
      )}
    </DataRegion>
  );
}

function columns(t: TFunction): Column<LoginSession>[] {
  return [
    {
      id: "browser",
      header: t("users.sessions.browser"),
      cell: ({ row: { original } }) => (
        <Text size="sm" title={original.user_agent ?? ""}>
          {browserName(original.user_agent) ?? t("users.sessions.unknown")}
        </Text>
      ),
    },
    { id: "ip", header: t("users.audit.from"), cell: ({ row }) => row.original.ip ?? "—" },
    {
      id: "created_at",
      header: t("users.sessions.signedIn"),
      cell: ({ row }) => <Time at={row.original.created_at} />,
    },
    {
      id: "last_seen_at",
      header: t("users.sessions.lastSeen"),
      cell: ({ row }) => <Time at={row.original.last_seen_at} />,
    },
  ];
}
