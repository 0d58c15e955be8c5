import { useQuery } from "@tanstack/react-query";
import { providersQuery } from "./api";

/** What people call a provider, not its id. */
export function ProviderName({ type }: { type: string }) {
  const providers = useQuery(providersQuery);
  return providers.data?.find(({ id }) => id === type)?.label ?? type;
}
