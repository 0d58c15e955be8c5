import { Anchor, Text } from "@mantine/core";
import type { TFunction } from "i18next";
import { Count } from "@/ui/Count";
import { Unknown } from "@/ui/Money";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import type { Delivery } from "./api";
import { VerdictBadge } from "./VerdictBadge";

/** What names a delivery in the address: an event's id is its provider's own. */
export function deliveryKey({ provider, event_id }: Delivery): string {
  return `${provider}/${event_id}`;
}

/** The columns of the list; the event opens the delivery. */
export function deliveryColumns(t: TFunction, onOpen: (key: string) => void): Column<Delivery>[] {
  return [
    {
      id: "time",
      header: t("orders.lastCame"),
      cell: ({ row }) => <Time at={row.original.last_received_at} precision="second" />,
    },
    {
      id: "event",
      header: t("orders.event"),
      cell: ({ row: { original } }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          maw={280}
          truncate
          title={original.event_type}
          onClick={() => onOpen(deliveryKey(original))}
        >
          {original.event_type || t("orders.unreadable")}
        </Anchor>
      ),
    },
    { id: "provider", header: t("orders.provider"), accessorKey: "provider" },
    {
      id: "order",
      header: t("orders.order"),
      cell: ({ row: { original } }) =>
        original.order_id === null ? (
          <Unknown reason={t("orders.noOrder")} />
        ) : (
          <Text size="sm" ff="monospace">
            {original.order_id}
          </Text>
        ),
    },
    {
      id: "verdict",
      header: t("orders.verdict"),
      cell: ({ row }) => <VerdictBadge delivery={row.original} />,
    },
    {
      id: "deliveries",
      header: t("orders.times"),
      meta: { align: "end" },
      cell: ({ row }) => <Count value={row.original.deliveries} />,
    },
  ];
}
