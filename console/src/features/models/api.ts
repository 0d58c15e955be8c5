// What models do and cost, and the change of prices.

import { queryOptions } from "@tanstack/react-query";
import type { Paged } from "@/api/everyPage";
import { api, dataOf, type Schema } from "@/api/management";
import type { PriceSheet } from "./prices";

export type Price = Schema<"Price">;
export type StoredPrice = Schema<"StoredPrice">;

export interface PriceFilter {
  search?: string;
  source?: string;
  /** True: models that no channel serves too. */
  all?: true;
}

export function readPrices(
  { search, source, all }: PriceFilter,
  p: number,
  page_size: number,
  signal?: AbortSignal,
): Promise<Paged<Price>> {
  const query = {
    p,
    page_size,
    search: search ?? null,
    source: source ?? null,
    served: all === true ? null : true,
  };
  const init = signal === undefined ? {} : { signal };
  return dataOf(api.GET("/api/price/", { params: { query }, ...init }));
}

export function pricesQuery(filter: PriceFilter, p: number, size: number) {
  return queryOptions({
    queryKey: ["models", "prices", filter, p, size],
    queryFn: ({ signal }) => readPrices(filter, p, size, signal),
  });
}

/** Models that channels serve and nobody has set a price for: calls to them are refused. */
export const unpricedQuery = queryOptions({
  queryKey: ["models", "unpriced"],
  queryFn: ({ signal }) => readPrices({ source: "none" }, 1, 100, signal),
});

export const metaQuery = queryOptions({
  queryKey: ["models", "meta"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/model/meta", { signal })),
});

export const groupsQuery = queryOptions({
  queryKey: ["models", "groups"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/group/", { signal })),
});

export function historyQuery(model: string) {
  return queryOptions({
    queryKey: ["models", "history", model],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/price/history", { params: { query: { model } }, signal })),
  });
}

/** `from` absent: from now on. */
export function setPrice(model: string, prices: PriceSheet, from: string | null) {
  const body = { model, prices: prices as never, effective_from: from };
  return dataOf(api.POST("/api/price/", { body }));
}

/** Ends an administrator's price: the configuration's or the catalogue's counts again. */
export function endPrice(id: number) {
  return dataOf(api.DELETE("/api/price/{id}", { params: { path: { id } } }));
}
