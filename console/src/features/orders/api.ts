// What the page of orders asks of the gateway: everybody's orders, and deliveries of payment events.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Order = Schema<"Order">;
export type Delivery = Schema<"Delivery">;

export const ORDERS = "orders";

export interface OrderFilter {
  status?: string | undefined;
  provider?: string | undefined;
  user_id?: number | undefined;
}

export interface DeliveryFilter {
  verdict?: string | undefined;
  provider?: string | undefined;
  order_id?: string | undefined;
}

export function listOrders(
  filter: OrderFilter,
  p: number,
  page_size: number,
  signal?: AbortSignal,
) {
  const query = {
    p,
    page_size,
    status: filter.status ?? null,
    provider: filter.provider ?? null,
    user_id: filter.user_id ?? null,
  };
  return dataOf(api.GET("/api/topup/all", { params: { query }, signal: signal ?? null }));
}

export const ordersQuery = (filter: OrderFilter, p: number, page_size: number) =>
  queryOptions({
    queryKey: [ORDERS, "list", filter, p, page_size],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => listOrders(filter, p, page_size, signal),
  });

/** How many there are in all, for "0 of 1,204 match". */
export const orderTotalQuery = queryOptions({
  queryKey: [ORDERS, "total"],
  queryFn: async ({ signal }) => (await listOrders({}, 1, 1, signal)).total,
});

export const deliveriesQuery = (
  filter: DeliveryFilter,
  cursor: string | undefined,
  limit: number,
) =>
  queryOptions({
    queryKey: [ORDERS, "deliveries", filter, cursor, limit],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = {
        cursor: cursor ?? null,
        limit,
        verdict: filter.verdict ?? null,
        provider: filter.provider ?? null,
        order_id: filter.order_id ?? null,
      };
      return dataOf(api.GET("/api/payment/delivery/", { params: { query }, signal }));
    },
  });

export const orderQuery = (order_id: string) =>
  queryOptions({
    queryKey: [ORDERS, "one", order_id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/topup/{order_id}", { params: { path: { order_id } }, signal })),
  });

/** As many of the latest deliveries as one call lists. */
const LATEST = 1_000;

/** One delivery by `provider/event`, or null where it is not among the latest of its provider. */
export const deliveryQuery = (key: string) =>
  queryOptions({
    queryKey: [ORDERS, "delivery", key],
    queryFn: async ({ signal }) => {
      const at = key.indexOf("/");
      const query = { provider: key.slice(0, at), limit: LATEST };
      const { items } = await dataOf(
        api.GET("/api/payment/delivery/", { params: { query }, signal }),
      );
      return items.find(({ event_id }) => event_id === key.slice(at + 1)) ?? null;
    },
  });

/** Acts on a delivered event again; what was done stays done. */
export function replay(provider: string, event_id: string): Promise<Delivery> {
  return dataOf(api.POST("/api/payment/delivery/replay", { body: { provider, event_id } }));
}
