import { Code, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { OrderStatus } from "@/records/OrderStatus";
import { DataRegion } from "@/ui/DataRegion";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { Money } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { Time } from "@/ui/Time";
import { DataTable } from "@/ui/table/DataTable";
import { useUrlState } from "@/ui/useUrlState";
import { deliveriesQuery, type Order, orderQuery } from "./api";
import { deliveryColumns, deliveryKey } from "./deliveryColumns";
import { Line, Lines } from "./Lines";
import type { OrdersSearch } from "./search";

const SKELETON_HEIGHT = 320;
const DELIVERIES = 50;

/** One order with the deliveries about it. */
export function OrderDrawer() {
  const { t } = useTranslation();
  const [{ order: id }, setSearch] = useUrlState<OrdersSearch>();
  return (
    <DetailDrawer
      isOpen={id !== undefined}
      title={t("orders.order")}
      onClose={() => setSearch({ order: undefined })}
    >
      {id !== undefined && <OrderDetail id={id} />}
    </DetailDrawer>
  );
}

function OrderDetail({ id }: { id: string }) {
  const { t } = useTranslation();
  const [, setSearch] = useUrlState<OrdersSearch>();
  const order = useQuery(orderQuery(id));
  const deliveries = useQuery(deliveriesQuery({ order_id: id }, undefined, DELIVERIES));
  return (
    <Stack gap="lg">
      <DataRegion query={order} skeletonHeight={SKELETON_HEIGHT}>
        {(known) => <OrderLines order={known} />}
      </DataRegion>
      <Title order={3} size="h5">
        {t("orders.deliveries")}
      </Title>
      <DataRegion
        query={deliveries}
        skeletonHeight={120}
        isEmpty={({ items }) => items.length === 0}
        emptyFirst={<Text size="sm">{t("orders.noDeliveries")}</Text>}
      >
        {({ items }) => (
          <DataTable
            label={t("orders.deliveries")}
            columns={deliveryColumns(t, (event) =>
              setSearch({ order: undefined, event }, { push: true }),
            )}
            hidden={["provider", "order"]}
            rows={items}
            rowId={deliveryKey}
          />
        )}
      </DataRegion>
    </Stack>
  );
}

function OrderLines({ order }: { order: Order }) {
  const { t } = useTranslation();
  return (
    <Lines>
      <Line name={t("orders.state")}>
        <OrderStatus status={order.status} />
      </Line>
      <Line name={t("orders.order")}>
        <Code>{order.order_id}</Code>
      </Line>
      <Line name={t("orders.user")}>
        <RouterAnchor to="/console/users/$id" params={{ id: String(order.user_id) }} size="sm">
          {`#${order.user_id}`}
        </RouterAnchor>
      </Line>
      <Line name={t("orders.provider")}>{order.provider}</Line>
      <Line name={t("orders.price")}>{`${order.amount} ${order.currency.toUpperCase()}`}</Line>
      <Line name={t("orders.credit")}>
        <Money usd={order.quota_usd} />
      </Line>
      <Line name={t("orders.takenBack")}>
        <Money usd={order.taken_back_usd} />
      </Line>
      <Line name={t("orders.time")}>
        <Time at={order.created_at} precision="second" />
      </Line>
      <Line name={t("orders.paidAt")}>
        <Time at={order.completed_at} precision="second" reason={t("orders.notPaidYet")} />
      </Line>
      <Line name={t("orders.checkout")}>{order.session_id ?? "—"}</Line>
      <Line name={t("orders.payment")}>{order.payment_id ?? "—"}</Line>
    </Lines>
  );
}
