// The settings of the service: what is in effect, where it was set, and the change of some of them.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Setting = Schema<"Option">;

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/option/", { signal })),
});

/** Changes all of them or none; `null` goes back to what the file or the default says. */
export function changeSettings(values: Record<string, unknown>) {
  return dataOf(api.PUT("/api/option/", { body: { values } }));
}
