// Switches a channel on, to draining or off: at once, with eight seconds to take it back.

import { useTranslation } from "react-i18next";
import { useStateName } from "@/records/ChannelState";
import { failureToast, undoToast } from "@/ui/toast";
import { type Channel, type SettableState, setState } from "./api";
import { useRefreshChannels } from "./useRefreshChannels";

export function useStateChange(): (channel: Channel, state: SettableState) => Promise<void> {
  const { t } = useTranslation();
  const name = useStateName();
  const refresh = useRefreshChannels();
  return async (channel, state) => {
    const before: SettableState =
      channel.state === "off" || channel.state === "draining" ? channel.state : "on";
    const undo = async () => {
      await setState(channel.id, before).catch(failureToast);
      await refresh();
    };
    try {
      await setState(channel.id, state);
      undoToast(
        t("channels.state.changed", { name: channel.name, state: name(state) }),
        () => void undo(),
      );
    } catch (error) {
      failureToast(error);
    }
    await refresh();
  };
}
