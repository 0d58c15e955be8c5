import { Anchor, Group, Text, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { ChannelState } from "@/records/ChannelState";
import { Count } from "@/ui/Count";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import type { Selection } from "@/ui/table/selection";
import type { Channel } from "./api";
import { ChannelMenu } from "./ChannelMenu";
import { KeysHealthy } from "./KeysHealthy";
import { ProviderName } from "./ProviderName";

/** The columns of the table and of its file. */
export function channelColumns(t: TFunction): Column<Channel>[] {
  return [
    {
      accessorKey: "name",
      header: t("channels.field.name"),
      enableHiding: false,
      cell: ({ row: { original } }) => (
        <Anchor
          component={Link}
          to={`/console/channels/${original.id}`}
          underline="hover"
          size="sm"
          maw={320}
          display="block"
          truncate
        >
          <bdi>{original.name}</bdi>
        </Anchor>
      ),
    },
    {
      accessorKey: "type",
      header: t("channels.field.type"),
      cell: ({ row: { original } }) => (
        <Text size="sm" style={{ whiteSpace: "nowrap" }}>
          <ProviderName type={original.type} />
        </Text>
      ),
    },
    {
      accessorKey: "state",
      header: t("channels.field.state"),
      cell: ({ row: { original } }) => <ChannelState channel={original} />,
    },
    {
      accessorKey: "priority",
      header: t("channels.field.priority"),
      meta: { align: "end" },
      cell: ({ row: { original } }) => <Count value={original.priority} />,
    },
    {
      accessorKey: "weight",
      header: t("channels.field.weight"),
      meta: { align: "end" },
      cell: ({ row: { original } }) => <Count value={original.weight} />,
    },
    {
      id: "models",
      header: t("channels.models"),
      meta: { align: "end", csv: ({ models }) => models.join(" ") },
      cell: ({ row: { original } }) => <Count value={original.models.length} />,
    },
    {
      id: "error_rate",
      header: t("channels.health.errors"),
      meta: { align: "end", csv: ({ health }) => health.error_rate },
      cell: ({ row: { original } }) => (
        <Count
          value={original.health.error_rate}
          format={{ style: "percent", maximumFractionDigits: 1 }}
          reason={t("channels.health.none")}
        />
      ),
    },
    {
      id: "attempts",
      header: t("channels.health.tries"),
      meta: { align: "end", csv: ({ health }) => health.attempts },
      cell: ({ row: { original } }) => <Count value={original.health.attempts} />,
    },
    {
      id: "keys",
      header: t("channels.keys"),
      meta: { csv: ({ key_count }) => key_count },
      cell: ({ row: { original } }) => (
        <Text size="sm" style={{ whiteSpace: "nowrap" }}>
          <KeysHealthy channel={original} />
        </Text>
      ),
    },
    {
      id: "tags",
      header: t("channels.field.tags"),
      meta: { csv: ({ tags }) => tags.join(" ") },
      cell: ({ row: { original } }) => (
        <Group gap={4} maw={240}>
          <Text size="sm" truncate>
            {original.tags.join(", ")}
          </Text>
        </Group>
      ),
    },
    {
      id: "menu",
      header: () => <VisuallyHidden>{t("channels.acts")}</VisuallyHidden>,
      enableHiding: false,
      cell: ({ row: { original } }) => <ChannelMenu channel={original} />,
    },
  ];
}

export interface ChannelTableProps {
  channels: readonly Channel[];
  hidden: readonly string[] | undefined;
  selection: Selection;
}

export function ChannelTable({ channels, hidden, selection }: ChannelTableProps) {
  const { t } = useTranslation();
  return (
    <DataTable
      label={t("channels.title")}
      columns={channelColumns(t)}
      rows={channels}
      rowId={({ id }) => String(id)}
      hidden={hidden}
      selection={selection}
    />
  );
}
