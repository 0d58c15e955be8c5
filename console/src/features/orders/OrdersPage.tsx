import { Stack, Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { DeliveryDrawer } from "./DeliveryDrawer";
import { DeliveryTable } from "./DeliveryTable";
import { OrderDrawer } from "./OrderDrawer";
import { OrderTable } from "./OrderTable";
import type { OrdersSearch } from "./search";

const FRESH = {
  p: undefined,
  page_size: undefined,
  cursor: undefined,
  limit: undefined,
  hide: undefined,
  sort: undefined,
  provider: undefined,
  status: undefined,
  user_id: undefined,
  verdict: undefined,
  order_id: undefined,
} as const;

/** Everybody's orders, and what payment providers delivered about them. */
export function OrdersPage() {
  const { t } = useTranslation();
  const [{ view }, setSearch] = useUrlState<OrdersSearch>();
  const choose = (value: string | null) =>
    setSearch(
      { ...FRESH, view: value === "deliveries" ? "deliveries" : undefined },
      { push: true },
    );
  return (
    <Stack gap="lg">
      <PageHead title={t("orders.title")} description={t("orders.text")} />
      <Tabs value={view ?? "orders"} onChange={choose} keepMounted={false}>
        <Tabs.List aria-label={t("orders.title")}>
          <Tabs.Tab value="orders">{t("orders.orders")}</Tabs.Tab>
          <Tabs.Tab value="deliveries">{t("orders.deliveries")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="orders" pt="lg">
          <OrderTable />
        </Tabs.Panel>
        <Tabs.Panel value="deliveries" pt="lg">
          <DeliveryTable />
        </Tabs.Panel>
      </Tabs>
      <OrderDrawer />
      <DeliveryDrawer />
    </Stack>
  );
}
