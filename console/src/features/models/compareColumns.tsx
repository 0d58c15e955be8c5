import { Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { Money } from "@/ui/Money";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";
import type { Column } from "@/ui/table/columns";
import type { Line } from "./compareApi";
import { componentText } from "./componentText";

const KIND_TEXT = {
  new: "compare.kind.new",
  changed: "compare.kind.changed",
  removed: "compare.kind.removed",
} as const;

const TONES: Readonly<Record<Line["kind"], Tone>> = {
  new: "good",
  changed: "busy",
  removed: "warning",
};

/** A change as people read it: with its sign, and as exact as the gateway says. */
function percent(text: string, language: string): string {
  const options = { style: "unit", unit: "percent", signDisplay: "exceptZero" } as const;
  const format = new Intl.NumberFormat(language, { ...options, maximumFractionDigits: 2 });
  return format.format(text as `${number}`);
}

export function compareColumns(t: TFunction, language: string): Column<Line>[] {
  return [
    {
      accessorKey: "model",
      header: t("models.model"),
      cell: ({ row }) => (
        <Text size="sm" fw={500} miw={140} style={{ overflowWrap: "anywhere" }}>
          {row.original.model}
        </Text>
      ),
    },
    {
      accessorKey: "component",
      header: t("compare.component"),
      cell: ({ row }) => componentText(t, language, row.original.component),
    },
    {
      accessorKey: "present",
      header: t("compare.present"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.present} />,
    },
    {
      accessorKey: "offered",
      header: t("compare.offered"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.offered} />,
    },
    {
      accessorKey: "change_percent",
      header: t("compare.change"),
      meta: { align: "end" },
      cell: ({ row: { original } }) =>
        original.change_percent && (
          <Text span inherit style={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
            {percent(original.change_percent, language)}
          </Text>
        ),
    },
    {
      accessorKey: "kind",
      header: t("compare.kind"),
      cell: ({ row: { original } }) => (
        <StatusBadge tone={TONES[original.kind]} label={t(KIND_TEXT[original.kind])} />
      ),
    },
  ];
}
