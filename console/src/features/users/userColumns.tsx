import { Stack, Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { Money } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import type { User } from "./api";
import { roleText } from "./roles";
import { UserState } from "./UserState";

/** The columns of the list. */
export function userColumns(t: TFunction): Column<User>[] {
  return [
    {
      accessorKey: "username",
      header: t("users.column.name"),
      enableSorting: true,
      enableHiding: false,
      cell: ({ row }) => <UserName user={row.original} />,
    },
    {
      accessorKey: "email",
      header: t("users.column.email"),
      cell: ({ row }) => (
        <Text size="sm" truncate maw={220} {...titleOf(row.original.email)}>
          {row.original.email ?? "—"}
        </Text>
      ),
    },
    {
      accessorKey: "role",
      header: t("users.column.role"),
      meta: { csv: ({ role }) => t(roleText(role)) },
      cell: ({ row }) => t(roleText(row.original.role)),
    },
    {
      accessorKey: "group",
      header: t("users.column.group"),
      cell: ({ row }) => (
        <Text size="sm" truncate maw={160} title={row.original.group}>
          {row.original.group}
        </Text>
      ),
    },
    {
      accessorKey: "quota_usd",
      header: t("users.column.balance"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.quota_usd} />,
    },
    {
      id: "used_quota",
      accessorKey: "used_quota_usd",
      header: t("users.column.spent"),
      enableSorting: true,
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.used_quota_usd} />,
    },
    {
      accessorKey: "status",
      header: t("users.column.status"),
      meta: { csv: ({ status }) => t(status === 1 ? "users.enabled" : "users.disabled") },
      cell: ({ row }) => <UserState user={row.original} />,
    },
    {
      accessorKey: "last_login_at",
      header: t("users.column.lastLogin"),
      enableSorting: true,
      cell: ({ row }) => (
        <Time at={row.original.last_login_at} precision="day" reason={t("users.neverSeen")} />
      ),
    },
  ];
}

function titleOf(text: string | null) {
  return text === null ? {} : { title: text };
}

function UserName({ user }: { user: User }) {
  return (
    <Stack gap={0} maw={260}>
      <RouterAnchor
        to="/console/users/$id"
        params={{ id: String(user.id) }}
        size="sm"
        truncate
        title={user.username}
      >
        {user.username}
      </RouterAnchor>
      {user.display_name !== user.username && (
        <Text size="xs" c="dimmed" truncate title={user.display_name}>
          {user.display_name}
        </Text>
      )}
    </Stack>
  );
}
