import { Anchor } from "@mantine/core";
import type { TFunction } from "i18next";
import { OrderStatus } from "@/records/OrderStatus";
import { Money } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import type { Order } from "./api";

/** The columns of the list; the id opens the order. */
export function orderColumns(t: TFunction, onOpen: (orderId: string) => void): Column<Order>[] {
  return [
    {
      accessorKey: "created_at",
      header: t("orders.time"),
      cell: ({ row }) => <Time at={row.original.created_at} />,
    },
    {
      accessorKey: "order_id",
      header: t("orders.order"),
      enableHiding: false,
      cell: ({ row: { original } }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          ff="monospace"
          onClick={() => onOpen(original.order_id)}
        >
          {original.order_id}
        </Anchor>
      ),
    },
    {
      accessorKey: "user_id",
      header: t("orders.user"),
      meta: { csv: ({ username, user_id }) => username ?? user_id },
      cell: ({ row: { original } }) => (
        <RouterAnchor to="/console/users/$id" params={{ id: String(original.user_id) }} size="sm">
          {original.username ?? `#${original.user_id}`}
        </RouterAnchor>
      ),
    },
    { accessorKey: "provider", header: t("orders.provider") },
    {
      accessorKey: "quota_usd",
      header: t("orders.credit"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.quota_usd} />,
    },
    {
      accessorKey: "taken_back_usd",
      header: t("orders.takenBack"),
      meta: { align: "end" },
      cell: ({ row }) => <Money usd={row.original.taken_back_usd} />,
    },
    {
      accessorKey: "status",
      header: t("orders.state"),
      cell: ({ row }) => <OrderStatus status={row.original.status} />,
    },
  ];
}
