import { Anchor, Badge, Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { Money, Unknown } from "@/ui/Money";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import type { Price } from "./api";
import { type Rate, rateOf, UNIT_RATES } from "./prices";
import { RATE_TEXT, SOURCE_TEXT, type SourceName } from "./rateText";

/** The columns of the table and of its file. */
export function modelColumns(t: TFunction, onOpen: (model: string) => void): Column<Price>[] {
  const rate = (name: Rate): Column<Price> => ({
    id: name,
    header: t(RATE_TEXT[name]),
    meta: { align: "end", csv: ({ prices }) => rateOf(prices, name) },
    cell: ({ row: { original } }) => {
      const usd = rateOf(original.prices, name);
      return usd === undefined ? <Unknown reason={t("models.noRate")} /> : <Money usd={usd} />;
    },
  });
  return [
    {
      accessorKey: "model",
      header: t("models.model"),
      cell: ({ row: { original } }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          maw={320}
          truncate
          onClick={() => onOpen(original.model)}
        >
          {original.model}
        </Anchor>
      ),
    },
    {
      accessorKey: "source",
      header: t("models.source"),
      cell: ({ row: { original } }) =>
        original.source === null ? (
          <Badge color="red" variant="light">
            {t("models.source.none")}
          </Badge>
        ) : (
          <Text size="sm" style={{ whiteSpace: "nowrap" }}>
            {t(SOURCE_TEXT[original.source as SourceName] ?? SOURCE_TEXT.none)}
          </Text>
        ),
    },
    rate("input"),
    rate("output"),
    rate("cache_read"),
    {
      id: "unit",
      header: t("models.unit"),
      meta: { align: "end", csv: ({ prices }) => unitOf(prices)?.usd },
      cell: ({ row: { original } }) => {
        const unit = unitOf(original.prices);
        return unit === undefined ? (
          <Unknown reason={t("models.noRate")} />
        ) : (
          <Text size="sm" style={{ whiteSpace: "nowrap" }}>
            <Money usd={unit.usd} /> {t(RATE_TEXT[unit.rate])}
          </Text>
        );
      },
    },
    {
      accessorKey: "effective_from",
      header: t("models.since"),
      cell: ({ row: { original } }) => (
        <Time at={original.effective_from} reason={t("models.shipped")} />
      ),
    },
  ];
}

function unitOf(prices: unknown): { rate: Rate; usd: string } | undefined {
  for (const rate of UNIT_RATES) {
    const usd = rateOf(prices, rate);
    if (usd !== undefined) {
      return { rate, usd };
    }
  }
  return undefined;
}
