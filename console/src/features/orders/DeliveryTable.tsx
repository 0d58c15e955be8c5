import { Button, Select, Stack } from "@mantine/core";
import { IconWebhook, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { NoneMatch } from "@/ui/NoneMatch";
import { DataTable } from "@/ui/table/DataTable";
import { FilterBar } from "@/ui/table/FilterBar";
import { CursorControl, DEFAULT_PAGE_SIZE } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { deliveriesQuery } from "./api";
import { deliveryColumns, deliveryKey } from "./deliveryColumns";
import { ProviderSelect } from "./ProviderSelect";
import type { OrdersSearch } from "./search";
import { VERDICT_TEXT, VERDICTS } from "./verdicts";

const SKELETON_HEIGHT = 360;

/** Deliveries of payment events, newest first, refused ones too. */
export function DeliveryTable() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<OrdersSearch>();
  const { cursor, limit = DEFAULT_PAGE_SIZE, verdict, provider, order_id } = search;
  const deliveries = useQuery(deliveriesQuery({ verdict, provider, order_id }, cursor, limit));
  const isFiltered = verdict !== undefined || provider !== undefined || order_id !== undefined;
  const clear = () =>
    setSearch({
      verdict: undefined,
      provider: undefined,
      order_id: undefined,
      cursor: undefined,
    });
  return (
    <Stack gap="md">
      <FilterBar>
        <Select
          w={220}
          clearable
          searchable
          aria-label={t("orders.verdict")}
          placeholder={t("orders.anyVerdict")}
          data={VERDICTS.map((each) => ({ value: each as string, label: t(VERDICT_TEXT[each]) }))}
          value={verdict ?? null}
          onChange={(chosen) => setSearch({ verdict: chosen ?? undefined, cursor: undefined })}
        />
        <ProviderSelect />
        {isFiltered && deliveries.data?.items.length !== 0 && (
          <Button variant="subtle" leftSection={<IconX size={15} />} onClick={clear}>
            {t("action.clearFilters")}
          </Button>
        )}
      </FilterBar>
      <DataRegion
        query={deliveries}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={({ items }) => items.length === 0}
        emptyFirst={
          isFiltered ? (
            <NoneMatch title={t("orders.noneMatch")} onClear={clear} />
          ) : (
            <EmptyFirst
              icon={IconWebhook}
              title={t("orders.noDeliveries")}
              text={t("orders.noDeliveriesText")}
            />
          )
        }
      >
        {({ items, next_cursor }) => (
          <Stack gap="sm">
            <DataTable
              label={t("orders.deliveries")}
              columns={deliveryColumns(t, (event) => setSearch({ event }, { push: true }))}
              rows={items}
              rowId={deliveryKey}
              onOpen={(delivery) => setSearch({ event: deliveryKey(delivery) }, { push: true })}
            />
            <CursorControl
              isFirst={cursor === undefined}
              nextCursor={next_cursor}
              limit={limit}
              onChange={setSearch}
            />
          </Stack>
        )}
      </DataRegion>
    </Stack>
  );
}
