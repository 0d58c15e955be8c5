// One channel: how it is doing, its settings, its keys, a test, and its end.

import { Alert, Paper, SegmentedControl, SimpleGrid, Stack, Tabs } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ChannelState, useStateName } from "@/records/ChannelState";
import { stateReason } from "@/said/channel";
import { BackButton } from "@/ui/BackButton";
import { DataRegion } from "@/ui/DataRegion";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { type Channel, channelQuery, type SettableState } from "./api";
import { ChannelFacts } from "./ChannelFacts";
import { ChannelSettings } from "./ChannelSettings";
import { DeleteChannel } from "./DeleteChannel";
import { useStateChange } from "./useStateChange";

// Tabs that are not looked at are not loaded.
const KeyList = lazy(async () => ({ default: (await import("./KeyList")).KeyList }));
const ChannelTrial = lazy(async () => ({ default: (await import("./ChannelTrial")).ChannelTrial }));

const TABS = ["settings", "keys", "test"] as const;
type Tab = (typeof TABS)[number];

interface ChannelSearch {
  tab?: Tab;
}

const STATES: readonly SettableState[] = ["on", "draining", "off"];

export function ChannelPage({ id }: { id: number }) {
  const channel = useQuery(channelQuery(id));
  return (
    <DataRegion query={channel} skeletonHeight={560}>
      {(found) => <Page channel={found} />}
    </DataRegion>
  );
}

function Page({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const reason = stateReason(t, channel);
  const [{ tab = "settings" }, setSearch] = useUrlState<ChannelSearch>();
  return (
    <Stack gap="lg">
      <BackButton to="/console/channels">{t("channels.title")}</BackButton>
      <PageHead
        title={channel.name}
        description={t("channels.one.text", { type: channel.type, id: channel.id })}
        aside={<ChannelState channel={channel} />}
        actions={<StateSwitch channel={channel} />}
      />
      {channel.is_declared && (
        <Alert color="blue" variant="light" icon={<IconLock />}>
          {t("channels.one.declared")}
        </Alert>
      )}
      {reason !== null && (
        <Alert color="yellow" variant="light" style={{ overflowWrap: "anywhere" }}>
          {reason}
        </Alert>
      )}
      <ChannelFacts channel={channel} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => setSearch({ tab: next === "settings" ? undefined : (next as Tab) })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="settings">{t("channels.one.settings")}</Tabs.Tab>
          <Tabs.Tab value="keys">{t("channels.keys")}</Tabs.Tab>
          <Tabs.Tab value="test">{t("channels.test.title")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="settings">
          {/* A stored change begins a new form; one that is being edited stays as it is. */}
          <SimpleGrid cols={1} maw={860}>
            <Paper withBorder p="lg">
              <ChannelSettings key={channel.updated_at} channel={channel} />
            </Paper>
            <DeleteChannel channel={channel} />
          </SimpleGrid>
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <Suspense>
            <KeyList channel={channel} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="test">
          <Suspense>
            <ChannelTrial channel={channel} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function StateSwitch({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const name = useStateName();
  const change = useStateChange();
  return (
    <SegmentedControl
      aria-label={t("channels.field.state")}
      data={STATES.map((state) => ({ value: state, label: name(state) }))}
      value={channel.state === "paused" ? "on" : channel.state}
      onChange={(state) => void change(channel, state as SettableState)}
    />
  );
}
