import { useQuery } from "@tanstack/react-query";
import { type Price, readPrices } from "./api";

/** The price of one model that counts now; null where the gateway knows none. */
export function usePrice(model: string) {
  return useQuery({
    queryKey: ["models", "price", model],
    queryFn: async ({ signal }): Promise<Price | null> => {
      // The list finds parts of names, shortest matches are on its first page.
      const { items } = await readPrices({ search: model, all: true }, 1, 100, signal);
      return items.find((price) => price.model === model) ?? null;
    },
  });
}
