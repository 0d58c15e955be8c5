import { Stack, Text, VisuallyHidden } from "@mantine/core";
import type { TFunction } from "i18next";
import { Money } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import type { Code } from "./api";
import { CodeActs } from "./CodeActs";

export const STATE_TEXT = {
  active: "codes.state.active",
  redeemed: "codes.state.redeemed",
  disabled: "codes.state.disabled",
  expired: "codes.state.expired",
} as const;

type State = keyof typeof STATE_TEXT;

const TONES: Readonly<Record<State, Tone>> = {
  active: "good",
  redeemed: "idle",
  disabled: "bad",
  expired: "warning",
};

function stateOf(status: string): State {
  return status in STATE_TEXT ? (status as State) : "disabled";
}

/** The columns of the list. */
export function codeColumns(t: TFunction): Column<Code>[] {
  return [
    { accessorKey: "id", header: t("codes.id"), cell: ({ row }) => `#${row.original.id}` },
    {
      accessorKey: "name",
      header: t("codes.batch"),
      enableHiding: false,
      cell: ({ row: { original } }) => (
        <RouterAnchor
          to="/console/codes"
          search={{ name: original.name }}
          size="sm"
          truncate
          display="block"
          maw={260}
          title={original.name}
        >
          {original.name}
        </RouterAnchor>
      ),
    },
    {
      accessorKey: "quota_usd",
      header: t("codes.worth"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.quota_usd} />,
    },
    {
      accessorKey: "status",
      header: t("codes.state"),
      cell: ({ row: { original } }) => {
        const state = stateOf(original.status);
        return <StatusBadge tone={TONES[state]} label={t(STATE_TEXT[state])} />;
      },
    },
    {
      accessorKey: "created_at",
      header: t("codes.created"),
      cell: ({ row }) => <Time at={row.original.created_at} precision="day" />,
    },
    {
      accessorKey: "expires_at",
      header: t("codes.expires"),
      cell: ({ row }) => <Time at={row.original.expires_at} reason={t("codes.never")} />,
    },
    {
      accessorKey: "redeemed_by",
      header: t("codes.redeemed"),
      meta: { csv: ({ redeemed_by_name, redeemed_by }) => redeemed_by_name ?? redeemed_by },
      cell: ({ row: { original } }) => <Redeemer code={original} />,
    },
    {
      id: "acts",
      header: () => <VisuallyHidden>{t("codes.acts")}</VisuallyHidden>,
      enableHiding: false,
      meta: { align: "end" },
      cell: ({ row }) => <CodeActs code={row.original} />,
    },
  ];
}

function Redeemer({ code }: { code: Code }) {
  if (code.redeemed_by === null) {
    return <Time at={null} />;
  }
  return (
    <Stack gap={0}>
      <RouterAnchor to="/console/users/$id" params={{ id: String(code.redeemed_by) }} size="sm">
        {code.redeemed_by_name ?? `#${code.redeemed_by}`}
      </RouterAnchor>
      <Text size="xs" c="dimmed">
        <Time at={code.redeemed_at} />
      </Text>
    </Stack>
  );
}
