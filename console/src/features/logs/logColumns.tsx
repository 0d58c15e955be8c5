import { Anchor, Group, Stack, Text, Tooltip } from "@mantine/core";
import { IconWaveSine } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { Money } from "@/ui/Money";
import { StatusBadge } from "@/ui/StatusBadge";
import type { Column } from "@/ui/table/columns";
import { AttemptChips } from "./AttemptChips";
import type { Call, Scope } from "./api";
import { inputTokens, statusTone } from "./callFacts";

const MS = { style: "unit", unit: "millisecond", unitDisplay: "short" } as const;

/** The columns of the log; users are shown where everybody's calls are. */
export function logColumns(t: TFunction, scope: Scope): Column<Call>[] {
  const columns: Column<Call>[] = [
    {
      accessorKey: "created_at",
      header: t("logs.time"),
      enableHiding: false,
      cell: ({ row }) => <Opener of={row.original} />,
    },
    {
      accessorKey: "status",
      header: t("logs.status"),
      cell: ({ row }) => <Status of={row.original} />,
    },
    {
      accessorKey: "model",
      header: t("logs.model"),
      cell: ({ row }) => <Models of={row.original} />,
    },
    {
      id: "key",
      header: t("logs.key"),
      accessorFn: ({ token_name }) => token_name,
      cell: ({ row }) => <Name text={row.original.token_name} of={row.original} />,
    },
    {
      id: "user",
      header: t("logs.user"),
      accessorFn: ({ username }) => username,
      cell: ({ row }) => <Name text={row.original.username} of={row.original} />,
    },
    {
      id: "attempts",
      header: t("logs.attempts"),
      cell: ({ row }) => <AttemptChips of={row.original.attempts} />,
    },
    {
      id: "took",
      header: t("logs.took"),
      meta: { align: "end" },
      cell: ({ row }) => <Took of={row.original} />,
    },
    {
      id: "tokens",
      header: t("logs.tokens"),
      meta: { align: "end" },
      cell: ({ row }) => <Tokens of={row.original} />,
    },
    {
      accessorKey: "charge_usd",
      header: t("logs.charge"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.charge_usd} />,
    },
  ];
  return columns.filter(({ id }) => scope === "all" || id !== "user");
}

function Opener({ of }: { of: Call }) {
  const { i18n } = useTranslation();
  const at = new Date(of.created_at);
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(i18n.language, options).format(at);
  return (
    <Anchor
      component={Link}
      to="/console/logs"
      search={((before: object) => ({ ...before, open: of.request_id })) as never}
      size="sm"
      underline="hover"
      title={at.toISOString()}
      style={{ whiteSpace: "nowrap", fontVariantNumeric: "tabular-nums" }}
    >
      {part({ timeStyle: "medium" })}
      <Text span size="xs" c="dimmed" display="block">
        {part({ month: "short", day: "numeric" })}
      </Text>
    </Anchor>
  );
}

function Status({ of }: { of: Call }) {
  return (
    <StatusBadge
      tone={statusTone(of.status)}
      label={String(of.status)}
      reason={of.error_message ?? of.error_cause}
    />
  );
}

function Models({ of }: { of: Call }) {
  const { t } = useTranslation();
  const isOther = of.upstream_model !== null && of.upstream_model !== of.model;
  return (
    <Group gap={6} wrap="nowrap" maw={260} w="max-content">
      <Stack gap={0} miw={0}>
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {of.model}
        </Text>
        {isOther && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {`→ ${of.upstream_model}`}
          </Text>
        )}
      </Stack>
      {of.stream && (
        <Tooltip label={t("logs.streamed")}>
          <IconWaveSine size={15} aria-label={t("logs.streamed")} role="img" />
        </Tooltip>
      )}
    </Group>
  );
}

function Name({ text, of }: { text: string | null; of: Call }) {
  const { t } = useTranslation();
  if (text === null) {
    return (
      <Text size="sm" c="dimmed">
        {of.source === "playground" ? t("logs.playground") : "—"}
      </Text>
    );
  }
  return (
    <Text size="sm" maw={160} truncate="end" title={text}>
      {text}
    </Text>
  );
}

function Took({ of }: { of: Call }) {
  const { t } = useTranslation();
  return (
    <Stack gap={0}>
      <Count value={of.total_ms} format={MS} />
      <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
        {t("logs.first")}{" "}
        <Count value={of.first_byte_ms} format={MS} reason={t("logs.noFirstByte")} />
      </Text>
    </Stack>
  );
}

function Tokens({ of }: { of: Call }) {
  return (
    <Text size="sm" span style={{ whiteSpace: "nowrap" }}>
      <Count value={inputTokens(of)} /> {"→"} <Count value={of.usage.output_tokens} />
    </Text>
  );
}
