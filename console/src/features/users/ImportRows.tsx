// What becomes, or became, of each row of a file.

import { Stack, Switch, Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatUsd } from "@/lib/money";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import type { ImportReport, ImportRow } from "./importApi";

const OUTCOME_TEXT = {
  made: "userImport.outcome.made",
  would_make: "userImport.outcome.would_make",
  refused: "userImport.outcome.refused",
} as const;

const TONES: Readonly<Record<ImportRow["outcome"], Tone>> = {
  made: "good",
  would_make: "busy",
  refused: "bad",
};

export function ImportRows({ report }: { report: ImportReport }) {
  const { t } = useTranslation();
  const [isRefusedOnly, setRefusedOnly] = useState(false);
  const [{ p = 1, page_size = DEFAULT_PAGE_SIZE }, setPage] = useState<{
    p?: number | undefined;
    page_size?: number | undefined;
  }>({});
  const rows = isRefusedOnly
    ? report.rows.filter(({ outcome }) => outcome === "refused")
    : report.rows;
  return (
    <Stack gap="sm">
      <Summary report={report} />
      {report.refused > 0 && (
        <Switch
          label={t("userImport.onlyRefused")}
          checked={isRefusedOnly}
          onChange={(event) => {
            setRefusedOnly(event.currentTarget.checked);
            setPage({});
          }}
        />
      )}
      <DataTable
        label={t("userImport.rows")}
        columns={columns(t)}
        rows={rows.slice((p - 1) * page_size, p * page_size)}
        rowId={({ line }) => String(line)}
      />
      <PageControl
        page={p}
        pageSize={page_size}
        total={rows.length}
        onChange={(change) => setPage({ p, page_size, ...change })}
      />
    </Stack>
  );
}

function Summary({ report }: { report: ImportReport }) {
  const { t, i18n } = useTranslation();
  const parts = [
    report.dry_run
      ? t("userImport.would", { count: report.would_make })
      : t("userImport.made", { count: report.made }),
    ...(report.refused > 0 ? [t("userImport.refused", { count: report.refused })] : []),
    ...(report.balance_usd === "0"
      ? []
      : [t("userImport.balance", { usd: formatUsd(report.balance_usd, i18n.language) })]),
  ];
  return (
    <Text size="sm" fw={600} role="status">
      {parts.join(" · ")}
    </Text>
  );
}

function columns(t: TFunction): Column<ImportRow>[] {
  return [
    { accessorKey: "line", header: t("userImport.line"), meta: { align: "end" } },
    {
      accessorKey: "username",
      header: t("userImport.username"),
      cell: ({ row }) => (
        <Text size="sm" miw={120} style={{ overflowWrap: "anywhere" }}>
          {row.original.username}
        </Text>
      ),
    },
    {
      accessorKey: "outcome",
      header: t("userImport.outcome"),
      cell: ({ row: { original } }) => (
        <StatusBadge tone={TONES[original.outcome]} label={t(OUTCOME_TEXT[original.outcome])} />
      ),
    },
    {
      accessorKey: "reason",
      header: t("userImport.why"),
      cell: ({ row }) => (
        <Text size="sm" miw={200} style={{ overflowWrap: "anywhere" }}>
          {row.original.reason}
        </Text>
      ),
    },
  ];
}
