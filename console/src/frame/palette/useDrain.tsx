// "Drain channel…": which of the channels that are on, and then it drains, with eight seconds to take it back.

import { IconPlug } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "@/api/management";
import { failureToast, undoToast } from "@/ui/toast";
import type { Found } from "./found";

const MOST = 8;

function setState(id: number, state: "on" | "draining") {
  const params = { path: { id } };
  return dataOf(api.POST("/api/channel/{id}/state", { params, body: { state } }));
}

/** The channels to choose from; nothing while nobody wants to drain one. */
export function useDrain(search: string, isWanted: boolean): Found {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, isFetching } = useQuery({
    queryKey: ["palette", "drain", search],
    enabled: isWanted,
    queryFn: ({ signal }) => {
      const query = { p: 1, page_size: MOST, search: search || null, state: "on" as const };
      return dataOf(api.GET("/api/channel/", { params: { query }, signal }));
    },
  });
  const change = async (id: number, state: "on" | "draining") => {
    await setState(id, state);
    await client.invalidateQueries({ queryKey: ["channels"] });
  };
  const drain = async (id: number, name: string) => {
    try {
      await change(id, "draining");
      undoToast(t("palette.drained", { name }), () => void change(id, "on").catch(failureToast));
    } catch (error) {
      failureToast(error);
    }
  };
  if (!isWanted) {
    return { actions: [], isSearching: false };
  }
  const actions = (data?.items ?? []).map(({ id, name }) => ({
    id: `drain ${id}`,
    label: name,
    description: t("palette.drainThis"),
    leftSection: <IconPlug size={18} stroke={1.6} />,
    onClick: () => void drain(id, name),
  }));
  return { actions, isSearching: isFetching };
}
