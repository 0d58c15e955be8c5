// Stores what is moved or weighed on the board: shown at once, taken back where the gateway refuses.

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { failureToast, undoToast } from "@/ui/toast";
import { type Channel, type ChannelUpdate, updateChannel } from "./api";
import { priorityOf, type Target, type Tier, tiersOf } from "./tiers";
import { useRefreshChannels } from "./useRefreshChannels";

interface Board {
  items: Channel[];
  total: number;
}

export function useBoardMoves(tiers: readonly Tier<Channel>[]) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const refresh = useRefreshChannels();
  const [announcement, setAnnouncement] = useState("");
  // A card that changes its column is drawn anew, a moment after the move; its handle keeps the focus.
  const [moved, setMoved] = useState<{ id: number; priority: number }>();
  useEffect(() => {
    const column = tiers.find(({ priority }) => priority === moved?.priority);
    if (moved !== undefined && column?.channels.some(({ id }) => id === moved.id)) {
      document.getElementById(`move-channel-${moved.id}`)?.focus();
      setMoved(undefined);
    }
  }, [moved, tiers]);

  const store = async (update: Placement) => {
    await client.cancelQueries({ queryKey: ["channels", "board"] });
    client.setQueriesData<Board>({ queryKey: ["channels", "board"] }, (board) =>
      board === undefined ? board : { ...board, items: board.items.map(patchWith(update)) },
    );
    if (typeof update.priority === "number") {
      setMoved({ id: update.id, priority: update.priority });
    }
    try {
      await updateChannel(update);
    } catch (error) {
      failureToast(error);
    } finally {
      await refresh();
    }
  };

  const move = async (channel: Channel, target: Target) => {
    const priority = priorityOf(target, tiers);
    if (priority === channel.priority) {
      return;
    }
    const others = tiers
      .flatMap(({ channels }) => channels)
      .map(patchWith({ id: channel.id, priority }));
    const number = tiersOf(others).findIndex((tier) => tier.priority === priority) + 1;
    const text = t("channels.board.moved", { name: channel.name, number, priority });
    const stored = store({ id: channel.id, priority });
    setAnnouncement(text);
    undoToast(text, () => void store({ id: channel.id, priority: channel.priority }));
    await stored;
  };

  const weigh = async (channel: Channel, weight: number) => {
    await store({ id: channel.id, weight });
    setAnnouncement(t("channels.board.weighed", { name: channel.name, weight }));
  };

  return { move, weigh, announcement };
}

type Placement = Pick<ChannelUpdate, "id" | "priority" | "weight">;

function patchWith(update: Placement) {
  return (channel: Channel): Channel =>
    channel.id === update.id
      ? {
          ...channel,
          priority: update.priority ?? channel.priority,
          weight: update.weight ?? channel.weight,
        }
      : channel;
}
