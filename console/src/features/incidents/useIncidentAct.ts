// An act on an incident: its answer is the incident as it is now, so nothing need be read again.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { failureToast } from "@/ui/toast";
import { INCIDENTS, type IncidentDetail, incidentQuery } from "./api";

export function useIncidentAct<T>(act: (value: T) => Promise<IncidentDetail>, onDone?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (detail) => {
      client.setQueryData(incidentQuery(detail.incident.id).queryKey, detail);
      onDone?.();
      await client.invalidateQueries({ queryKey: [INCIDENTS], refetchType: "active" });
    },
    onError: failureToast,
  });
}
