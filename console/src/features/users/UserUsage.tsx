import { SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { FactCard } from "@/ui/FactCard";
import { Money } from "@/ui/Money";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { USAGE_DAYS, type UsageItem, userUsageQuery } from "./detailApi";

const SKELETON_HEIGHT = 320;

/** What a user's calls were and cost in the last days, by model. */
export function UserUsage({ userId }: { userId: number }) {
  const { t } = useTranslation();
  const usage = useQuery(userUsageQuery(userId));
  return (
    <DataRegion
      query={usage}
      skeletonHeight={SKELETON_HEIGHT}
      isEmpty={({ sums }) => sums.requests === 0}
      emptyFirst={
        <EmptyFirst
          icon={IconChartBar}
          title={t("users.usage.none")}
          text={t("users.usage.noneText", { count: USAGE_DAYS })}
        />
      }
    >
      {({ sums, models }) => (
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t("users.usage.range", { count: USAGE_DAYS })}
          </Text>
          <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 2, md: 4 }}>
            <FactCard
              name={t("users.column.spent")}
              value={<Money usd={sums.charge_usd} />}
              reason=""
            />
            <FactCard
              name={t("users.column.requests")}
              value={<Count value={sums.requests} />}
              reason=""
            />
            <FactCard
              name={t("users.usage.errors")}
              value={<Count value={sums.errors} />}
              reason=""
            />
            <FactCard
              name={t("users.usage.tokens")}
              value={<Count value={sums.input_tokens + sums.output_tokens} />}
              reason=""
            />
          </SimpleGrid>
          <Title order={2} size="h5">
            {t("users.usage.models")}
          </Title>
          <DataTable
            label={t("users.usage.models")}
            columns={columns(t)}
            rows={models}
            rowId={(item) => item.key}
          />
        </Stack>
      )}
    </DataRegion>
  );
}

function columns(t: TFunction): Column<UsageItem>[] {
  return [
    {
      id: "model",
      header: t("users.usage.model"),
      cell: ({ row }) => (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {row.original.name ?? row.original.key}
        </Text>
      ),
    },
    {
      id: "requests",
      header: t("users.column.requests"),
      meta: { align: "end" },
      cell: ({ row }) => <Count value={row.original.sums.requests} />,
    },
    {
      id: "errors",
      header: t("users.usage.errors"),
      meta: { align: "end" },
      cell: ({ row }) => <Count value={row.original.sums.errors} />,
    },
    {
      id: "charge",
      header: t("users.column.spent"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.sums.charge_usd} />,
    },
  ];
}
