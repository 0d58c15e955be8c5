// Models down, channels across: who serves what, in which tier.

import { Stack, Table, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { aliasOf, entryFor, upstreamFor } from "@/lib/servedModels";
import { DataRegion } from "@/ui/DataRegion";
import { useUrlState } from "@/ui/useUrlState";
import { CHANNEL_LIMIT, type Channel, channelsQuery } from "./api";
import type { RoutingSearch } from "./RoutingPage";
import classes from "./routing.module.css";

/** Rows that are drawn; a search finds the others. */
const SHOWN = 100;

export function RouteMap() {
  const { t } = useTranslation();
  const [{ q = "" }, setSearch] = useUrlState<RoutingSearch>();
  const channels = useQuery(channelsQuery);
  return (
    <Stack gap="sm">
      <TextInput
        type="search"
        aria-label={t("routing.findModel")}
        placeholder={t("routing.findModel")}
        leftSection={<IconSearch size={16} />}
        value={q}
        onChange={(event) => setSearch({ q: event.currentTarget.value })}
        maw={360}
      />
      <DataRegion
        query={channels}
        skeletonHeight={320}
        isEmpty={({ total }) => total === 0}
        emptyFirst={<Text>{t("routing.noChannel")}</Text>}
      >
        {({ items, total }) => (
          <>
            {total > CHANNEL_LIMIT && (
              <Text size="sm">{t("routing.someChannels", { shown: items.length, total })}</Text>
            )}
            <Grid channels={items} sought={q} />
          </>
        )}
      </DataRegion>
    </Stack>
  );
}

function Grid({ channels, sought }: { channels: readonly Channel[]; sought: string }) {
  const { t } = useTranslation();
  const ordered = [...channels].sort((left, right) => right.priority - left.priority);
  const models = [...new Set(channels.flatMap(({ models }) => models.map(aliasOf)))]
    .filter((model) => model.toLowerCase().includes(sought.toLowerCase()))
    .sort();
  const shown = models.slice(0, SHOWN);
  const columns = ordered.filter(({ models }) =>
    shown.some((model) => entryFor(models, model) !== undefined),
  );
  if (shown.length === 0) {
    return <Text c="dimmed">{t("routing.noModel")}</Text>;
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <section className={classes.map} tabIndex={0} aria-label={t("routing.map")}>
        <Table withColumnBorders>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("routing.model")}</Table.Th>
              {columns.map(({ id, name, priority }) => (
                <Table.Th key={id}>
                  <bdi>{name}</bdi>
                  <Text size="xs" c="dimmed">
                    {t("routing.priority", { priority })}
                  </Text>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((model) => (
              <Table.Tr key={model}>
                <Table.Th scope="row">{model}</Table.Th>
                {columns.map((channel) => (
                  <Table.Td key={channel.id}>
                    <Cell channel={channel} model={model} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {models.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {t("routing.someModels", { shown: SHOWN, total: models.length })}
        </Text>
      )}
    </>
  );
}

function Cell({ channel, model }: { channel: Channel; model: string }) {
  const { t } = useTranslation();
  const entry = entryFor(channel.models, model);
  if (entry === undefined) {
    return (
      <Text size="sm" c="dimmed" title={t("routing.reason.model")}>
        {"—"}
      </Text>
    );
  }
  const upstream = upstreamFor(entry, model, channel.model_mapping);
  return (
    <>
      <Text size="sm">
        {channel.state === "on"
          ? t("routing.serves", { weight: channel.weight })
          : t(STATE_TEXT[stateOf(channel)])}
      </Text>
      {upstream !== model && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {t("routing.as", { model: upstream })}
        </Text>
      )}
    </>
  );
}

const STATE_TEXT = {
  draining: "routing.reason.draining",
  paused: "routing.reason.paused",
  off: "routing.reason.off",
} as const;

function stateOf({ state }: Channel): keyof typeof STATE_TEXT {
  return state === "draining" || state === "paused" ? state : "off";
}
