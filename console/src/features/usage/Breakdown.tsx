import { Anchor, Group, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { nanosOf } from "@/lib/money";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { Money } from "@/ui/Money";
import { CsvButton } from "@/ui/table/CsvButton";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { useUrlState } from "@/ui/useUrlState";
import { type BreakdownItem, breakdownQuery, type Question, type Sums } from "./api";
import { GROUP_TEXTS, nameOf } from "./groupTexts";
import { logSearch } from "./links";
import type { Group as By, UsageSearch } from "./search";

const MS = { style: "unit", unit: "millisecond", unitDisplay: "short" } as const;

/** Every group with every measure. */
export default function Breakdown({ question, by }: { question: Question; by: By }) {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<UsageSearch>();
  const items = useQuery(breakdownQuery(question, by));
  const columns = columnsOf(t, by, (item) =>
    logSearch(search, question.range, { by, key: item.key }),
  );
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h5">
          {t("usage.byGroup", { group: t(GROUP_TEXTS[by]) })}
        </Title>
        <CsvButton
          name={`usage-by-${by}`}
          columns={columns}
          rows={async () => items.data?.items ?? []}
        />
      </Group>
      <DataRegion query={items} skeletonHeight={200}>
        {(data) => (
          <DataTable
            label={t("usage.byGroup", { group: t(GROUP_TEXTS[by]) })}
            columns={columns}
            rows={data.items}
            rowId={({ key }) => key}
            sort={search.sort}
            onSort={(sort) => setSearch({ sort })}
            isWhole
          />
        )}
      </DataRegion>
    </Stack>
  );
}

function columnsOf(
  t: TFunction,
  by: By,
  searchOf: (item: BreakdownItem) => object,
): Column<BreakdownItem>[] {
  const number = (
    id: string,
    header: string,
    read: (sums: Sums) => number | null,
    format: Intl.NumberFormatOptions = {},
  ): Column<BreakdownItem> => ({
    id,
    header,
    enableSorting: true,
    meta: { align: "end" },
    accessorFn: ({ sums }) => read(sums),
    cell: ({ row }) => (
      <Count value={read(row.original.sums)} format={format} reason={t("usage.noCalls")} />
    ),
  });
  return [
    {
      id: "name",
      header: t(GROUP_TEXTS[by]),
      accessorFn: ({ key, name }) => name ?? key,
      cell: ({ row }) => (
        <Anchor
          component={Link}
          to="/console/logs"
          search={searchOf(row.original) as never}
          size="sm"
          underline="hover"
          style={{
            overflowWrap: "anywhere",
            display: "inline-block",
            minWidth: 120,
            maxWidth: 260,
          }}
        >
          {nameOf(t, row.original.key, row.original.name)}
        </Anchor>
      ),
    },
    {
      id: "spend",
      header: t("usage.spend"),
      enableSorting: true,
      meta: { align: "end" },
      accessorFn: ({ sums }) => sums.charge_usd,
      sortingFn: (a, b) =>
        Number(nanosOf(a.original.sums.charge_usd) - nanosOf(b.original.sums.charge_usd)),
      cell: ({ row }) => <Money usd={row.original.sums.charge_usd} />,
    },
    number("requests", t("usage.requests"), (sums) => sums.requests),
    number("errors", t("usage.failed"), (sums) => sums.errors),
    number("input", t("usage.input"), (sums) => sums.input_tokens),
    number("cached", t("usage.cached"), (sums) => sums.cache_read_tokens),
    number("cache_write", t("usage.cacheWrite"), (sums) => sums.cache_write_tokens),
    number("output", t("usage.output"), (sums) => sums.output_tokens),
    number("reasoning", t("usage.reasoning"), (sums) => sums.reasoning_tokens),
    number("p50", t("usage.p50"), (sums) => sums.total_ms.p50, MS),
    number("p95", t("usage.p95"), (sums) => sums.total_ms.p95, MS),
    number("p99", t("usage.p99"), (sums) => sums.total_ms.p99, MS),
    number("first95", t("usage.p95First"), (sums) => sums.first_byte_ms.p95, MS),
  ];
}
