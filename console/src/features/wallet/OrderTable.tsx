import { Stack, Text, Title } from "@mantine/core";
import { IconReceipt } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { OrderStatus } from "@/records/OrderStatus";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { Money } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { type Order, ordersQuery } from "./api";
import type { WalletSearch } from "./search";

const SKELETON_HEIGHT = 180;

/** One's orders; each leads to its state and receipt. */
export function OrderTable() {
  const { t } = useTranslation();
  const [{ p = 1, page_size = DEFAULT_PAGE_SIZE }, setSearch] = useUrlState<WalletSearch>();
  const orders = useQuery(ordersQuery(p, page_size));
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        {t("wallet.orders")}
      </Title>
      <DataRegion
        query={orders}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={({ total }) => total === 0}
        emptyFirst={
          <EmptyFirst
            icon={IconReceipt}
            title={t("wallet.noOrders")}
            text={t("wallet.noOrdersText")}
          />
        }
      >
        {({ items, total }) => (
          <Stack gap="sm">
            <DataTable
              label={t("wallet.orders")}
              columns={columns(t)}
              rows={items}
              rowId={(order) => order.order_id}
              onOpen={(order) => setSearch({ order: order.order_id }, { push: true })}
            />
            <PageControl page={p} pageSize={page_size} total={total} onChange={setSearch} />
          </Stack>
        )}
      </DataRegion>
    </Stack>
  );
}

function columns(t: TFunction): Column<Order>[] {
  return [
    {
      id: "created_at",
      header: t("wallet.column.time"),
      cell: ({ row }) => <Time at={row.original.created_at} />,
    },
    {
      id: "order_id",
      header: t("wallet.column.order"),
      cell: ({ row: { original } }) => (
        <RouterAnchor
          to="/console/wallet"
          search={{ order: original.order_id }}
          size="sm"
          ff="monospace"
        >
          {original.order_id}
        </RouterAnchor>
      ),
    },
    {
      id: "provider",
      header: t("wallet.column.provider"),
      cell: ({ row }) => <Text size="sm">{row.original.provider}</Text>,
    },
    {
      id: "credit",
      header: t("wallet.column.credit"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.quota_usd} />,
    },
    {
      id: "status",
      header: t("wallet.column.status"),
      cell: ({ row }) => <OrderStatus status={row.original.status} />,
    },
  ];
}
