// What the wallet asks of the gateway: how to pay, orders, codes, referral, recent spending.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Order = Schema<"Order">;
export type TopUpInfo = Schema<"TopUpInfo">;
export type Referral = Schema<"Referral">;
export type Redeemed = Schema<"Redeemed">;

/** How often a page that waits for a payment asks. */
const WAIT_MS = 1_000;
/** Over how many days the pace is taken. */
export const PACE_DAYS = 7;
const DAY_MS = 86_400_000;

export const WALLET = "wallet";

export const topUpInfoQuery = queryOptions({
  queryKey: [WALLET, "info"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/topup/info", { signal })),
});

/** One's own orders, newest first. */
export const ordersQuery = (p: number, page_size: number) =>
  queryOptions({
    queryKey: [WALLET, "orders", p, page_size],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/topup/", { params: { query: { p, page_size } }, signal })),
  });

/** One order, asked for again until the provider has spoken. */
export const orderQuery = (order_id: string) =>
  queryOptions({
    queryKey: [WALLET, "order", order_id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/topup/{order_id}", { params: { path: { order_id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? WAIT_MS : false),
  });

export const referralQuery = queryOptions({
  queryKey: [WALLET, "referral"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/user/aff", { signal })),
});

/** What one's calls cost in the last days. */
export const spentQuery = queryOptions({
  queryKey: [WALLET, "spent"],
  queryFn: async ({ signal }) => {
    const from = new Date(Date.now() - PACE_DAYS * DAY_MS).toISOString();
    const query = { from, scope: "self" };
    const summary = await dataOf(api.GET("/api/stats/summary", { params: { query }, signal }));
    return summary.current.charge_usd;
  },
});

/** Orders credit; the answer says where to pay. */
export function orderCredit(amount: string, provider: string) {
  return dataOf(api.POST("/api/topup/", { body: { amount, provider } }));
}

export function redeemCode(code: string): Promise<Redeemed> {
  return dataOf(api.POST("/api/redemption/redeem", { body: { code } }));
}

/** Moves referral earnings, in quota units. */
export function moveEarnings(quota: number) {
  return dataOf(api.POST("/api/user/aff_transfer", { body: { quota } }));
}
