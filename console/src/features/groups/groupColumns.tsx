import { Anchor, Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { Count } from "@/ui/Count";
import type { Column } from "@/ui/table/columns";
import type { UserGroup } from "./api";

/** The columns of the list; the name opens the group. */
export function groupColumns(
  t: TFunction,
  onOpen: (group: UserGroup) => void,
): Column<UserGroup>[] {
  const noLimit = t("groups.noLimit");
  return [
    {
      accessorKey: "name",
      header: t("groups.name"),
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          fw={600}
          maw={220}
          truncate
          title={original.name}
          onClick={() => onOpen(original)}
        >
          {original.name}
        </Anchor>
      ),
    },
    {
      accessorKey: "description",
      header: t("groups.description"),
      cell: ({ row: { original } }) => (
        <Text size="sm" lineClamp={2} miw={140} maw={280} style={{ overflowWrap: "anywhere" }}>
          {original.description === "" ? "—" : original.description}
        </Text>
      ),
    },
    {
      accessorKey: "multiplier",
      header: t("groups.multiplier"),
      meta: { align: "end" },
      cell: ({ row }) => `× ${row.original.multiplier}`,
    },
    ...(["rpm", "tpm", "concurrency"] as const).map(
      (field): Column<UserGroup> => ({
        accessorKey: field,
        header: t(LIMIT_TEXT[field]),
        meta: { align: "end" },
        cell: ({ row }) => <Count value={row.original[field]} reason={noLimit} />,
      }),
    ),
    {
      accessorKey: "user_count",
      header: t("groups.users"),
      enableSorting: true,
      meta: { align: "end" },
      cell: ({ row }) => <Count value={row.original.user_count} />,
    },
    {
      accessorKey: "token_count",
      header: t("groups.keys"),
      enableSorting: true,
      meta: { align: "end" },
      cell: ({ row }) => <Count value={row.original.token_count} />,
    },
  ];
}

export const LIMIT_TEXT = {
  rpm: "groups.rpm",
  tpm: "groups.tpm",
  concurrency: "groups.concurrency",
} as const;
