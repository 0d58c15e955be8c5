import { Anchor, Group, Loader, Paper, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Call, listenToCalls } from "@/api/callStream";
import { Count } from "@/ui/Count";
import { Money } from "@/ui/Money";
import { latestCall } from "./api";

const FIRST_FAILURE = 400;

/** Waits for a call with the key (or any of one's own) and shows it as soon as it ends. */
export function FirstCall({ keyId }: { keyId: number | undefined }) {
  const { t } = useTranslation();
  const [call, setCall] = useState<Call>();
  useEffect(() => {
    const [since, abort] = [new Date(), new AbortController()];
    setCall(undefined);
    const stop = listenToCalls(keyId === undefined ? {} : { token_id: String(keyId) }, {
      onCall: setCall,
      // What ended before the stream was open is not in it. A failure leaves the stream to wait for.
      onOpen: () =>
        void latestCall(keyId, since, abort.signal).then(
          (latest) => setCall((shown) => shown ?? latest),
          () => undefined,
        ),
    });
    return () => {
      stop();
      abort.abort();
    };
  }, [keyId]);
  return (
    <Paper withBorder p="md" role="status" aria-label={t("connect.live")}>
      {call === undefined ? (
        <Group gap="sm">
          <Loader size="sm" type="dots" />
          <Text size="sm">{t(keyId === undefined ? "connect.waitingAny" : "connect.waiting")}</Text>
        </Group>
      ) : (
        <Arrived call={call} />
      )}
    </Paper>
  );
}

function Arrived({ call }: { call: Call }) {
  const { t } = useTranslation();
  const isFailed = call.status >= FIRST_FAILURE;
  const Icon = isFailed ? IconCircleX : IconCircleCheck;
  const { usage } = call;
  return (
    <Group gap="md">
      <Icon
        size={20}
        color={`var(--mantine-color-${isFailed ? "red" : "green"}-filled)`}
        aria-hidden
      />
      <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
        {t(isFailed ? "connect.arrivedFailed" : "connect.arrived", {
          model: call.model,
          status: call.status,
        })}
      </Text>
      <Text size="sm">
        <Count value={usage.input_tokens + usage.cache_read_tokens} /> {"→"}{" "}
        <Count value={usage.output_tokens} /> {t("connect.tokens")}
      </Text>
      <Text size="sm">
        <Count value={call.total_ms} format={{ style: "unit", unit: "millisecond" }} />
      </Text>
      <Text size="sm">
        <Money usd={call.charge_usd} />
      </Text>
      <Anchor
        component={Link}
        to="/console/logs/$requestId"
        params={{ requestId: call.request_id } as never}
        size="sm"
      >
        {t("connect.openLog")}
      </Anchor>
    </Group>
  );
}
