// How the models are doing, as far as visitors may know.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type ModelStatus = Schema<"ModelStatus">;

const EVERY_MS = 30_000;

export const modelStatusQuery = queryOptions({
  queryKey: ["status", "models"],
  refetchInterval: EVERY_MS,
  queryFn: ({ signal }) => dataOf(api.GET("/api/status/models", { signal })),
});
