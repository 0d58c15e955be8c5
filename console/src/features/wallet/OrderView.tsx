import { Anchor, Button, Group, Loader, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconDownload } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { downloadText } from "@/lib/download";
import { nanosOf } from "@/lib/money";
import { OrderStatus, orderStatusOf } from "@/records/OrderStatus";
import { selfQuery, useSession } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { Money } from "@/ui/Money";
import { PageHead } from "@/ui/PageHead";
import { Time } from "@/ui/Time";
import { type Order, orderQuery, WALLET } from "./api";
import { receiptOf } from "./receipt";

const SKELETON_HEIGHT = 320;

const EXPLANATION = {
  pending: "wallet.order.pending",
  paid: "wallet.order.paid",
  failed: "wallet.order.failed",
  expired: "wallet.order.expired",
  refunded: "wallet.order.refunded",
  disputed: "wallet.order.disputed",
  mismatch: "wallet.order.mismatch",
} as const;

export interface OrderViewProps {
  orderId: string;
  onBack: () => void;
}

/** One order: waits for the provider without a reload, then is the receipt. */
export function OrderView({ orderId, onBack }: OrderViewProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const order = useQuery(orderQuery(orderId));
  const status = order.data?.status;
  // The provider has spoken: balance and list are no longer what they were.
  useEffect(() => {
    if (status !== undefined && status !== "pending") {
      void client.invalidateQueries({ queryKey: selfQuery.queryKey });
      void client.invalidateQueries({ queryKey: [WALLET, "orders"] });
    }
  }, [status, client]);
  return (
    <Stack gap="lg" maw={720}>
      <Anchor component="button" type="button" size="sm" onClick={onBack}>
        <Group gap={4} component="span">
          <IconArrowLeft size={15} />
          {t("wallet.back")}
        </Group>
      </Anchor>
      <PageHead title={t("wallet.order.title")} description={t("wallet.order.text")} />
      <DataRegion query={order} skeletonHeight={SKELETON_HEIGHT}>
        {(known) => <OrderFacts order={known} />}
      </DataRegion>
    </Stack>
  );
}

function OrderFacts({ order }: { order: Order }) {
  const { t, i18n } = useTranslation();
  const { user } = useSession();
  const status = orderStatusOf(order.status);
  const hasReceipt = order.completed_at !== null;
  return (
    <Paper withBorder p="lg">
      <Stack gap="lg">
        <Stack gap="xs" role="status" aria-live="polite">
          <Group gap="sm">
            <OrderStatus status={order.status} />
            {status === "pending" && <Loader size="xs" type="dots" aria-hidden />}
          </Group>
          <Text>{status === undefined ? order.status : t(EXPLANATION[status])}</Text>
        </Stack>
        <Title order={2} size="h4">
          {t(hasReceipt ? "wallet.order.receipt" : "wallet.order.details")}
        </Title>
        <Details order={order} />
        {hasReceipt && (
          <Group>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              onClick={() =>
                downloadText(
                  `receipt-${order.order_id}.txt`,
                  receiptOf(order, user.username, t, i18n.language),
                )
              }
            >
              {t("wallet.order.saveReceipt")}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

function Details({ order }: { order: Order }) {
  const { t } = useTranslation();
  const isTakenBack = nanosOf(order.taken_back_usd) > 0n;
  return (
    <Table variant="vertical" layout="fixed" withRowBorders={false}>
      <Table.Tbody>
        <Line name={t("wallet.column.order")}>
          <Text span size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {order.order_id}
          </Text>
        </Line>
        <Line name={t("wallet.order.toPay")}>
          {`${order.amount} ${order.currency.toUpperCase()}`}
        </Line>
        <Line name={t("wallet.column.credit")}>
          <Money usd={order.quota_usd} />
        </Line>
        {isTakenBack && (
          <Line name={t("wallet.order.takenBack")}>
            <Money usd={order.taken_back_usd} />
          </Line>
        )}
        <Line name={t("wallet.column.provider")}>{order.provider}</Line>
        <Line name={t("wallet.order.made")}>
          <Time at={order.created_at} precision="second" />
        </Line>
        <Line name={t("wallet.order.paidAt")}>
          <Time at={order.completed_at} precision="second" reason={t("wallet.order.notPaid")} />
        </Line>
        {order.payment_id !== null && (
          <Line name={t("wallet.order.payment")}>
            <Text span size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {order.payment_id}
            </Text>
          </Line>
        )}
      </Table.Tbody>
    </Table>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w="40%" fw={500} c="dimmed" style={{ background: "none" }}>
        {name}
      </Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}
