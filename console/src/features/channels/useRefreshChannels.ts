import { useQueryClient } from "@tanstack/react-query";

/** Reads everything about channels anew, after a change. */
export function useRefreshChannels(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["channels"] });
}
