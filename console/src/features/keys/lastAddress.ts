// From where a key was last used: the log knows, for as long as it keeps the call.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "@/api/management";

export const lastAddressQuery = (token_id: number, isAdministrator: boolean) =>
  queryOptions({
    queryKey: ["keys", "address", token_id],
    queryFn: async ({ signal }): Promise<string | null> => {
      const params = { query: { token_id, limit: 1 } };
      const { items } = await dataOf(
        isAdministrator
          ? api.GET("/api/log/", { params, signal })
          : api.GET("/api/log/self", { params, signal }),
      );
      return items[0]?.ip ?? null;
    },
  });
