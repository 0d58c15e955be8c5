import { Button, Group, Text } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ChannelState as ChannelBadge, useStateName } from "@/records/ChannelState";
import { DataRegion } from "@/ui/DataRegion";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { SectionCard } from "@/ui/SectionCard";
import { failureToast } from "@/ui/toast";
import {
  type Channel,
  type ChannelState,
  channelQuery,
  INCIDENTS,
  type Incident,
  setChannelState,
} from "./api";
import { SwapPriority } from "./SwapPriority";

/** The channel that the incident is about: let it drain, stop it at once, or take it back. */
export function ChannelActs({ channelId, incident }: { channelId: number; incident: Incident }) {
  const { t } = useTranslation();
  const channel = useQuery(channelQuery(channelId));
  return (
    <SectionCard title={t("incidents.channel")} text={t("incidents.channelText")}>
      <DataRegion query={channel} skeletonHeight={70}>
        {(found) => <Acts channel={found} incident={incident} />}
      </DataRegion>
    </SectionCard>
  );
}

function Acts({ channel, incident }: { channel: Channel; incident: Incident }) {
  const { t } = useTranslation();
  const stateName = useStateName();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (state: ChannelState) =>
      setChannelState(channel.id, state, t("incidents.reason", { id: incident.id })),
    onSuccess: () => client.invalidateQueries({ queryKey: [INCIDENTS] }),
    onError: failureToast,
  });
  // Each keeps its place, so that a second click on one never lands on another.
  const button = (to: ChannelState) => ({
    variant: "default",
    size: "xs",
    loading: change.isPending && change.variables === to,
    ...(channel.state === to ? { disabled: true, title: stateName(channel.state) } : {}),
    onClick: () => change.mutate(to),
  });
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="sm">
        <RouterAnchor
          to="/console/channels/$id"
          params={{ id: String(channel.id) }}
          fw={600}
          style={{ overflowWrap: "anywhere" }}
        >
          {channel.name}
        </RouterAnchor>
        <ChannelBadge channel={channel} />
        <Text size="sm" c="dimmed" role="status">
          {t("incidents.inFlight", { count: channel.health.in_flight })}
        </Text>
      </Group>
      <Group gap="xs">
        <Button {...button("draining")} leftSection={<IconPlayerPause size={15} />}>
          {t("incidents.drain")}
        </Button>
        <Button {...button("off")} color="red" leftSection={<IconPlayerStop size={15} />}>
          {t("incidents.stop")}
        </Button>
        <Button {...button("on")} leftSection={<IconPlayerPlay size={15} />}>
          {t("incidents.resume")}
        </Button>
        {incident.state === "open" && !channel.is_declared && (
          <SwapPriority channel={channel} incident={incident} />
        )}
      </Group>
    </Group>
  );
}
