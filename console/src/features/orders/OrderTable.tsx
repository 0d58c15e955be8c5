import { Button, Group, Select, Stack } from "@mantine/core";
import { IconReceipt, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { everyPage } from "@/api/everyPage";
import { ORDER_STATUS_TEXT, ORDER_STATUSES } from "@/records/OrderStatus";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { DataTable } from "@/ui/table/DataTable";
import { FilterBar } from "@/ui/table/FilterBar";
import { ListTools } from "@/ui/table/ListTools";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { listOrders, ordersQuery, orderTotalQuery } from "./api";
import { orderColumns } from "./orderColumns";
import { ProviderSelect } from "./ProviderSelect";
import { type OrdersSearch, ordersSearch } from "./search";

const SKELETON_HEIGHT = 360;

/** Everybody's orders, newest first. */
export function OrderTable() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<OrdersSearch>();
  const { p = 1, page_size = DEFAULT_PAGE_SIZE, hide, status, provider, user_id } = search;
  const filter = { status, provider, user_id };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const orders = useQuery(ordersQuery(filter, p, page_size));
  const isNone = isFiltered && orders.data?.total === 0;
  const { data: total = 0 } = useQuery({ ...orderTotalQuery, enabled: isNone });
  const columns = orderColumns(t, (order) => setSearch({ order }, { push: true }));
  const clear = () =>
    setSearch({ status: undefined, provider: undefined, user_id: undefined, p: undefined });
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <FilterBar>
          <Select
            w={160}
            clearable
            aria-label={t("orders.state")}
            placeholder={t("orders.anyState")}
            data={ORDER_STATUSES.map((each) => ({
              value: each as string,
              label: t(ORDER_STATUS_TEXT[each]),
            }))}
            value={status ?? null}
            onChange={(chosen) =>
              setSearch({ status: ordersSearch({ status: chosen }).status, p: undefined })
            }
          />
          <ProviderSelect />
          {user_id !== undefined && (
            <Button
              variant="light"
              rightSection={<IconX size={15} />}
              aria-label={t("orders.allUsers", { id: user_id })}
              onClick={() => setSearch({ user_id: undefined })}
            >
              {t("orders.ofUser", { id: user_id })}
            </Button>
          )}
        </FilterBar>
        <Group gap="xs">
          <ListTools
            name="orders"
            columns={columns}
            hidden={hide}
            onHide={setSearch}
            rows={() => everyPage((page, size) => listOrders(filter, page, size))}
          />
        </Group>
      </Group>
      <DataRegion
        query={orders}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={(list) => list.total === 0}
        filter={isFiltered ? { total, onClear: clear } : undefined}
        emptyFirst={
          <EmptyFirst icon={IconReceipt} title={t("orders.none")} text={t("orders.noneText")} />
        }
      >
        {(list) => (
          <Stack gap="sm">
            <DataTable
              label={t("orders.orders")}
              columns={columns}
              rows={list.items}
              rowId={(order) => order.order_id}
              hidden={hide}
              onOpen={(order) => setSearch({ order: order.order_id }, { push: true })}
            />
            <PageControl page={p} pageSize={page_size} total={list.total} onChange={setSearch} />
          </Stack>
        )}
      </DataRegion>
    </Stack>
  );
}
