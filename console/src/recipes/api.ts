// How SDKs, agents and apps are set up for this gateway: the server has the recipes.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Recipe = Schema<"Recipe">;

/** Recipes for a model; absent: the first that the caller can use. */
export const recipesQuery = (model: string | undefined) =>
  queryOptions({
    queryKey: ["recipes", model],
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/connect/recipes", { params: { query: { model: model ?? null } }, signal }),
      ),
  });
