// What the page of redemption codes asks of the gateway.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Code = Schema<"RedemptionCode">;
export type MadeCodes = Schema<"MadeCodes">;
type NewCodes = Schema<"NewCodes">;

export const CODES = "codes";

export interface CodeFilter {
  /** Exactly this batch. */
  name?: string | undefined;
  /** A part of a batch's name. */
  search?: string | undefined;
  status?: string | undefined;
}

export function listCodes(filter: CodeFilter, p: number, page_size: number, signal?: AbortSignal) {
  const query = {
    p,
    page_size,
    name: filter.name ?? null,
    search: filter.search ?? null,
    status: filter.status ?? null,
  };
  return dataOf(api.GET("/api/redemption/", { params: { query }, signal: signal ?? null }));
}

export const codesQuery = (filter: CodeFilter, p: number, page_size: number) =>
  queryOptions({
    queryKey: [CODES, "list", filter, p, page_size],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => listCodes(filter, p, page_size, signal),
  });

/** How many there are in all, for "0 of 1,204 match". */
export const codeTotalQuery = queryOptions({
  queryKey: [CODES, "total"],
  queryFn: async ({ signal }) => (await listCodes({}, 1, 1, signal)).total,
});

/** Makes a batch; the answer is the only one that holds the codes. */
export function makeCodes(body: NewCodes): Promise<MadeCodes> {
  return dataOf(api.POST("/api/redemption/", { body }));
}

export function setDisabled(id: number, disabled: boolean): Promise<Code> {
  return dataOf(api.PUT("/api/redemption/", { body: { id, disabled } }));
}

export function deleteCode(id: number) {
  return dataOf(api.DELETE("/api/redemption/{id}", { params: { path: { id } } }));
}
