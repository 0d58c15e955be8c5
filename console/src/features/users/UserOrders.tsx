import { Stack } from "@mantine/core";
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
import { type Order, userOrdersQuery } from "./detailApi";
import type { UserSearch } from "./search";

const SKELETON_HEIGHT = 240;

/** A user's orders of credit. */
export function UserOrders({ userId }: { userId: number }) {
  const { t } = useTranslation();
  const [{ p = 1, page_size = DEFAULT_PAGE_SIZE }, setSearch] = useUrlState<UserSearch>();
  const orders = useQuery(userOrdersQuery(userId, p, page_size));
  return (
    <DataRegion
      query={orders}
      skeletonHeight={SKELETON_HEIGHT}
      isEmpty={({ total }) => total === 0}
      emptyFirst={
        <EmptyFirst icon={IconReceipt} title={t("users.noOrders")} text={t("users.noOrdersText")} />
      }
    >
      {({ items, total }) => (
        <Stack gap="sm">
          <DataTable
            label={t("users.section.orders")}
            columns={columns(t)}
            rows={items}
            rowId={(order) => order.order_id}
          />
          <PageControl page={p} pageSize={page_size} total={total} onChange={setSearch} />
        </Stack>
      )}
    </DataRegion>
  );
}

function columns(t: TFunction): Column<Order>[] {
  return [
    {
      id: "created_at",
      header: t("users.time"),
      cell: ({ row }) => <Time at={row.original.created_at} />,
    },
    {
      id: "order_id",
      header: t("users.order"),
      cell: ({ row: { original } }) => (
        <RouterAnchor
          to="/console/orders"
          search={{ order: original.order_id }}
          size="sm"
          ff="monospace"
        >
          {original.order_id}
        </RouterAnchor>
      ),
    },
    {
      id: "credit",
      header: t("users.credit"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.quota_usd} />,
    },
    {
      id: "status",
      header: t("users.column.status"),
      cell: ({ row }) => <OrderStatus status={row.original.status} />,
    },
  ];
}
