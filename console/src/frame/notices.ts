// What is announced now, for the strip above the page and for the bell.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "@/api/management";

const EVERY_MS = 60_000;

export const noticesQuery = queryOptions({
  queryKey: ["notices", "current"],
  staleTime: EVERY_MS,
  refetchInterval: EVERY_MS,
  queryFn: ({ signal }) => dataOf(api.GET("/api/notice/", { signal })),
});
