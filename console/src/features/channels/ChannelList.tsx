// The table of channels with its pages, selection and acts on many.

import { Button, Group, Stack } from "@mantine/core";
import { IconEdit } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { ListTools } from "@/ui/table/ListTools";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { SelectionBar } from "@/ui/table/SelectionBar";
import { useSelection } from "@/ui/table/selection";
import { failureToast } from "@/ui/toast";
import { useUrlState } from "@/ui/useUrlState";
import { type Channel, channelPageQuery, everyChannel } from "./api";
import { BulkDialog } from "./BulkDialog";
import type { ChannelsSearch, ChannelViewProps } from "./ChannelsPage";
import { ChannelTable, channelColumns } from "./ChannelTable";

export function ChannelList({ filter, narrowed, empty }: ChannelViewProps) {
  const { t } = useTranslation();
  const [{ p = 1, page_size = DEFAULT_PAGE_SIZE, hide }, setSearch] = useUrlState<ChannelsSearch>();
  const selection = useSelection();
  const [chosen, setChosen] = useState<readonly Channel[]>();
  const page = useQuery({
    ...channelPageQuery(filter, p, page_size),
    placeholderData: keepPreviousData,
  });
  const columns = channelColumns(t);
  const openBulk = async () => {
    try {
      const all = await everyChannel(filter);
      setChosen(all.filter(({ id }) => selection.isSelected(String(id))));
    } catch (error) {
      failureToast(error);
    }
  };
  return (
    <DataRegion
      query={page}
      skeletonHeight={420}
      isEmpty={({ total }) => total === 0}
      filter={narrowed}
      emptyFirst={empty}
    >
      {({ items, total }) => (
        <Stack gap="sm">
          <Group justify="flex-end" gap="xs">
            <ListTools
              name="channels"
              columns={columns}
              hidden={hide}
              onHide={setSearch}
              rows={() => everyChannel(filter)}
            />
          </Group>
          <SelectionBar selection={selection} total={total}>
            <Button size="xs" leftSection={<IconEdit size={15} />} onClick={() => void openBulk()}>
              {t("channels.bulk.open")}
            </Button>
          </SelectionBar>
          <ChannelTable channels={items} hidden={hide} selection={selection} />
          <PageControl page={p} pageSize={page_size} total={total} onChange={setSearch} />
          <BulkDialog
            channels={chosen}
            onClose={() => {
              setChosen(undefined);
              selection.clear();
            }}
          />
        </Stack>
      )}
    </DataRegion>
  );
}
