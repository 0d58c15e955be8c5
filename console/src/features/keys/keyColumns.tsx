import { Anchor, Badge, Code, Group, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { StatusBadge } from "@/ui/StatusBadge";
import type { Column } from "@/ui/table/columns";
import type { Key } from "./api";
import { KeyMenu } from "./KeyMenu";
import { keyState, STATE_TEXTS, STATE_TONES } from "./keyState";
import { FullestLimit } from "./LimitBars";
import { TimeOrWord } from "./TimeOrWord";

/** The columns of the list; what acts on a row is in the last. */
export function keyColumns(t: TFunction, onRotate: (key: Key) => void): Column<Key>[] {
  return [
    {
      accessorKey: "name",
      enableSorting: true,
      header: t("keys.name"),
      enableHiding: false,
      cell: ({ row }) => <Name of={row.original} />,
    },
    {
      accessorKey: "prefix",
      header: t("keys.key"),
      cell: ({ row }) => <Code style={{ whiteSpace: "nowrap" }}>{`${row.original.prefix}…`}</Code>,
    },
    {
      id: "status",
      header: t("keys.status"),
      accessorFn: (key) => t(STATE_TEXTS[keyState(key)]),
      cell: ({ row }) => <KeyBadge of={row.original} />,
    },
    {
      id: "models",
      header: t("keys.models"),
      accessorFn: ({ models }) => models.join(" "),
      cell: ({ row }) => <Models names={row.original.models} />,
    },
    {
      id: "limit",
      header: t("keys.limit"),
      accessorFn: ({ used_quota_usd }) => used_quota_usd,
      cell: ({ row }) => <FullestLimit of={row.original} />,
    },
    {
      accessorKey: "last_used_at",
      enableSorting: true,
      header: t("keys.lastUsed"),
      cell: ({ row }) => <TimeOrWord at={row.original.last_used_at} word={t("keys.neverUsed")} />,
    },
    {
      accessorKey: "expires_at",
      enableSorting: true,
      header: t("keys.expires"),
      cell: ({ row }) => <TimeOrWord at={row.original.expires_at} word={t("keys.expiry.never")} />,
    },
    {
      id: "actions",
      header: () => <VisuallyHidden>{t("keys.actionsColumn")}</VisuallyHidden>,
      enableHiding: false,
      meta: { align: "end" },
      cell: ({ row }) => <KeyMenu of={row.original} onRotate={onRotate} />,
    },
  ];
}

/** The state of a key in a word. */
export function KeyBadge({ of }: { of: Key }) {
  const state = keyState(of);
  const { t } = useTranslation();
  return <StatusBadge tone={STATE_TONES[state]} label={t(STATE_TEXTS[state])} />;
}

function Name({ of }: { of: Key }) {
  return (
    <Anchor
      component={Link}
      to="/console/keys/$id"
      params={{ id: String(of.id) } as never}
      size="sm"
      fw={500}
      underline="hover"
      style={{ overflowWrap: "anywhere", display: "inline-block", minWidth: 120, maxWidth: 260 }}
    >
      {of.name}
    </Anchor>
  );
}

const SHOWN_MODELS = 2;

function Models({ names }: { names: readonly string[] }) {
  const { t } = useTranslation();
  if (names.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("keys.all")}
      </Text>
    );
  }
  const rest = names.slice(SHOWN_MODELS);
  return (
    <Group gap={4} miw={150} maw={240}>
      {names.slice(0, SHOWN_MODELS).map((name) => (
        <Badge key={name} variant="default" fw={500} maw={200} title={name}>
          {name}
        </Badge>
      ))}
      {rest.length > 0 && (
        <Tooltip label={rest.join(", ")} multiline maw={320}>
          <Badge variant="default" fw={500}>{`+${rest.length}`}</Badge>
        </Tooltip>
      )}
    </Group>
  );
}
