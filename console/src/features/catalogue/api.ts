// Models and prices for visitors: what somebody who registers would have.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Model = Schema<"Model">;

export const catalogueQuery = queryOptions({
  queryKey: ["catalogue"],
  staleTime: 60_000,
  queryFn: ({ signal }) => dataOf(api.GET("/api/model/catalogue", { signal })),
});
