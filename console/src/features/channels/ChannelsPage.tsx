// All channels, as a board by tier or as a table; which one, and every filter, is in the address.

import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconPlug, IconPlus, IconTestPipe } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { BOARD_LIMIT, boardQuery, type ChannelFilter, channelCountQuery } from "./api";
import { ChannelBoard } from "./ChannelBoard";
import { ChannelFilters } from "./ChannelFilters";
import { ChannelList } from "./ChannelList";

export interface ChannelsSearch extends ChannelFilter {
  view?: "table";
  p?: number;
  page_size?: number;
  hide?: string[];
}

export function ChannelsPage() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<ChannelsSearch>();
  const { view } = search;
  const { isRoot } = useSession();
  const count = useQuery(channelCountQuery);
  const filter = filterOf(search);
  const clear = () =>
    setSearch({
      search: undefined,
      type: undefined,
      state: undefined,
      tag: undefined,
      model: undefined,
      group: undefined,
      p: undefined,
    });
  const narrowed =
    Object.keys(filter).length === 0 ? undefined : { total: count.data ?? 0, onClear: clear };
  const empty = (
    <EmptyFirst
      icon={IconPlug}
      title={t("channels.empty.title")}
      text={t("channels.empty.text")}
      action={
        <Group gap="xs" justify="center">
          <NewButton />
          {isRoot && (
            <Button component={Link} to="/console/settings/import" variant="default">
              {t("palette.import")}
            </Button>
          )}
        </Group>
      }
    />
  );
  return (
    <Stack gap="lg">
      <PageHead
        title={t("channels.title")}
        description={t("channels.text")}
        actions={
          <>
            <Button
              component={Link}
              to="/console/channels/matrix"
              variant="default"
              leftSection={<IconTestPipe size={16} />}
            >
              {t("channels.matrix.open")}
            </Button>
            <NewButton />
          </>
        }
      />
      <Group gap="sm" align="flex-start">
        <SegmentedControl
          aria-label={t("channels.view")}
          data={[
            { value: "board", label: t("channels.view.board") },
            { value: "table", label: t("channels.view.table") },
          ]}
          value={view ?? "board"}
          onChange={(next) => setSearch({ view: next === "table" ? "table" : undefined })}
        />
        <div style={{ flex: "1 1 20rem" }}>
          <ChannelFilters
            filter={filter}
            onChange={(patch) => setSearch({ ...patch, p: undefined })}
          />
        </div>
      </Group>
      {view === "table" ? (
        <ChannelList filter={filter} narrowed={narrowed} empty={empty} />
      ) : (
        <Board filter={filter} narrowed={narrowed} empty={empty} />
      )}
    </Stack>
  );
}

function NewButton() {
  const { t } = useTranslation();
  return (
    <Button component={Link} to="/console/channels/new" leftSection={<IconPlus size={16} />}>
      {t("channels.new.open")}
    </Button>
  );
}

export interface ChannelViewProps {
  filter: ChannelFilter;
  narrowed: { total: number; onClear: () => void } | undefined;
  empty: React.ReactNode;
}

function Board({ filter, narrowed, empty }: ChannelViewProps) {
  const { t } = useTranslation();
  const board = useQuery({ ...boardQuery(filter), placeholderData: keepPreviousData });
  return (
    <DataRegion
      query={board}
      skeletonHeight={420}
      isEmpty={({ total }) => total === 0}
      filter={narrowed}
      emptyFirst={empty}
    >
      {({ items, total }) => (
        <Stack gap="sm">
          {total > BOARD_LIMIT && (
            <Text size="sm">{t("channels.board.more", { shown: items.length, total })}</Text>
          )}
          <ChannelBoard channels={items} />
        </Stack>
      )}
    </DataRegion>
  );
}

/** Only what narrows, so that an empty filter is an empty object. */
function filterOf({ search, type, state, tag, model, group }: ChannelsSearch): ChannelFilter {
  const all = { search, type, state, tag, model, group };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  ) as ChannelFilter;
}
