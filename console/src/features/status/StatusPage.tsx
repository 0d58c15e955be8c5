import { Group, Paper, Stack, Text } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { statusQuery } from "@/session/session";
import { Age } from "@/ui/Age";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { PageHead } from "@/ui/PageHead";
import { StatusBadge } from "@/ui/StatusBadge";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { type ModelStatus, modelStatusQuery } from "./api";

const HEIGHT = 280;
const PER_MILLE = 1_000;

/** How the service is doing, for anybody. */
export function StatusPage() {
  const { t } = useTranslation();
  const models = useQuery(modelStatusQuery);
  const columns = useColumns();
  return (
    <Stack gap="lg">
      <PageHead title={t("status.title")} description={t("status.text")} />
      <Summary models={models.data} at={models.dataUpdatedAt} />
      <DataRegion
        query={models}
        skeletonHeight={HEIGHT}
        isEmpty={(list) => list.length === 0}
        emptyFirst={
          <EmptyFirst
            icon={IconActivity}
            title={t("status.emptyTitle")}
            text={t("status.emptyText")}
          />
        }
      >
        {(list) => (
          <DataTable
            label={t("status.models")}
            columns={columns}
            rows={list}
            rowId={({ model }) => model}
            isWhole
          />
        )}
      </DataRegion>
    </Stack>
  );
}

function Summary({ models, at }: { models: readonly ModelStatus[] | undefined; at: number }) {
  const { t } = useTranslation();
  const version = useQuery(statusQuery).data?.version;
  if (models === undefined) {
    return null;
  }
  const down = models.filter(({ is_available }) => !is_available).length;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" gap="sm">
        <StatusBadge
          tone={down === 0 ? "good" : "warning"}
          label={down === 0 ? t("status.allUp") : t("status.someDown", { count: down })}
        />
        <Text size="sm" c="dimmed">
          {t("status.version", { version })}
          {" · "}
          <Age of={at} />
        </Text>
      </Group>
    </Paper>
  );
}

function useColumns(): Column<ModelStatus>[] {
  const { t } = useTranslation();
  return [
    {
      accessorKey: "model",
      header: t("status.model"),
      cell: ({ row }) => (
        <Text size="sm" miw={130} style={{ overflowWrap: "anywhere" }}>
          {row.original.model}
        </Text>
      ),
    },
    {
      accessorKey: "is_available",
      header: t("status.state"),
      cell: ({ row }) =>
        row.original.is_available ? (
          <StatusBadge tone="good" label={t("status.up")} />
        ) : (
          <StatusBadge tone="bad" label={t("status.down")} />
        ),
    },
    {
      accessorKey: "failed_per_mille",
      header: t("status.failed"),
      meta: { align: "end" },
      cell: ({ row: { original } }) => (
        <Count
          value={
            typeof original.failed_per_mille === "number"
              ? original.failed_per_mille / PER_MILLE
              : null
          }
          format={{ style: "percent", maximumFractionDigits: 1 }}
          reason={t("status.noCalls")}
        />
      ),
    },
    {
      accessorKey: "first_byte_p95_ms",
      header: t("status.firstByte"),
      meta: { align: "end" },
      cell: ({ row }) => (
        <Count
          value={row.original.first_byte_p95_ms}
          format={{ style: "unit", unit: "millisecond" }}
          reason={t("status.noCalls")}
        />
      ),
    },
  ];
}
