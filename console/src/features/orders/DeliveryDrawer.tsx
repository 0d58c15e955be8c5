import { Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { Time } from "@/ui/Time";
import { failureToast, toast } from "@/ui/toast";
import { useUrlState } from "@/ui/useUrlState";
import { type Delivery, deliveryQuery, ORDERS, replay } from "./api";
import { Line, Lines } from "./Lines";
import type { OrdersSearch } from "./search";
import { VerdictBadge } from "./VerdictBadge";
import { VERDICT_TEXT, verdictOf } from "./verdicts";

const SKELETON_HEIGHT = 360;

/** One delivery: signature, verdict, what in it counts, and acting on it again. */
export function DeliveryDrawer() {
  const { t } = useTranslation();
  const [{ event }, setSearch] = useUrlState<OrdersSearch>();
  return (
    <DetailDrawer
      isOpen={event !== undefined}
      title={t("orders.delivery")}
      onClose={() => setSearch({ event: undefined })}
    >
      {event !== undefined && <DeliveryDetail event={event} />}
    </DetailDrawer>
  );
}

function DeliveryDetail({ event }: { event: string }) {
  const { t } = useTranslation();
  const delivery = useQuery(deliveryQuery(event));
  return (
    <DataRegion
      query={delivery}
      skeletonHeight={SKELETON_HEIGHT}
      isEmpty={(found) => found === null}
      emptyFirst={<Text size="sm">{t("orders.noSuchDelivery")}</Text>}
    >
      {(found) => found !== null && <DeliveryLines delivery={found} />}
    </DataRegion>
  );
}

function DeliveryLines({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => replay(delivery.provider, delivery.event_id),
    onSuccess: async ({ verdict }) => {
      await client.invalidateQueries({ queryKey: [ORDERS] });
      const known = verdictOf(verdict);
      const said = known === undefined ? (verdict ?? "") : t(VERDICT_TEXT[known]);
      toast(t("orders.replayed", { verdict: said }));
    },
    onError: failureToast,
  });
  return (
    <Stack gap="lg">
      <Lines>
        <Line name={t("orders.verdict")}>
          <VerdictBadge delivery={delivery} />
        </Line>
        <Line name={t("orders.signature")}>
          {t(delivery.refused ? "orders.signatureRefused" : "orders.signatureRight")}
        </Line>
        <Line name={t("orders.event")}>{delivery.event_type || t("orders.unreadable")}</Line>
        <Line name={t("orders.eventId")}>
          <Code>{delivery.event_id}</Code>
        </Line>
        <Line name={t("orders.provider")}>{delivery.provider}</Line>
        <Line name={t("orders.order")}>{delivery.order_id ?? "—"}</Line>
        <Line name={t("orders.times")}>
          <Count value={delivery.deliveries} />
        </Line>
        <Line name={t("orders.firstCame")}>
          <Time at={delivery.received_at} precision="second" />
        </Line>
        <Line name={t("orders.lastCame")}>
          <Time at={delivery.last_received_at} precision="second" />
        </Line>
        <Line name={t("orders.actedOn")}>
          <Time at={delivery.processed_at} precision="second" reason={t("orders.notActedOn")} />
        </Line>
        <Line name={t("orders.hash")}>
          <Text span size="xs" ff="monospace">
            {delivery.payload_sha256}
          </Text>
        </Line>
      </Lines>
      <Stack gap="xs">
        <Title order={3} size="h5">
          {t("orders.payload")}
        </Title>
        <Text size="sm" c="dimmed">
          {t("orders.payloadText")}
        </Text>
        <Code block style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
          {JSON.stringify(delivery.facts, null, 2)}
        </Code>
      </Stack>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          disabled={delivery.refused}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          {t("orders.replay")}
        </Button>
        <Text size="sm" c="dimmed" flex={1} miw={200}>
          {t(delivery.refused ? "orders.notReplayable" : "orders.replayText")}
        </Text>
      </Group>
    </Stack>
  );
}
