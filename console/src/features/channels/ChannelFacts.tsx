import { Paper, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { Unknown } from "@/ui/Money";
import { Sparkline } from "@/ui/Sparkline";
import { Time } from "@/ui/Time";
import { type Channel, percentilesQuery } from "./api";
import { KeysHealthy } from "./KeysHealthy";
import { useHealth } from "./useHealth";

/** How the channel is doing: the last hour on all nodes, the last day's times, this node's load. */
export function ChannelFacts({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const shares = useHealth().shares(channel.id);
  const latency = useQuery(percentilesQuery(channel.id)).data;
  const { attempts, error_rate, in_flight, paused_until } = channel.health;
  const p95 = latency?.first_byte_ms.p95;
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 3, xl: 6 }} m={0}>
      <Fact name={t("channels.health.errorsHour")}>
        <Count
          value={error_rate}
          format={{ style: "percent", maximumFractionDigits: 1 }}
          reason={t("channels.health.none")}
        />
      </Fact>
      <Fact name={t("channels.health.tries")}>
        <Count value={attempts} />
      </Fact>
      <Fact name={t("channels.health.hour")}>
        {attempts === 0 || shares === undefined ? (
          <Unknown reason={t("channels.health.none")} />
        ) : (
          <Sparkline values={shares} max={1} label={t("channels.health.line", { attempts })} />
        )}
      </Fact>
      <Fact name={t("channels.health.p95day")}>
        {p95 === null || p95 === undefined ? (
          <Unknown reason={t("channels.health.none")} />
        ) : (
          t("channels.ms", { count: Math.round(p95) })
        )}
      </Fact>
      <Fact name={t("channels.health.inFlight")}>
        <Count value={in_flight} />
      </Fact>
      <Fact name={paused_until === null ? t("channels.keys") : t("channels.health.probe")}>
        {paused_until === null ? (
          <KeysHealthy channel={channel} />
        ) : (
          <Time at={paused_until} precision="second" />
        )}
      </Fact>
    </SimpleGrid>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Paper withBorder p="sm">
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text
        component="dd"
        m={0}
        fw={600}
        style={{ fontVariantNumeric: "tabular-nums", overflowWrap: "anywhere" }}
      >
        {children}
      </Text>
    </Paper>
  );
}
