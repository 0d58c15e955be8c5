// Pausing and resuming: done at once, taken back by "Undo".

import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { failureToast, undoToast } from "@/ui/toast";
import { forgetKeys, type Key, PAUSED, updateKey, WORKING } from "./api";

/** Pauses a key, or lets it work again. */
export function usePause(): (key: Key, isPaused: boolean) => void {
  const { t } = useTranslation();
  const client = useQueryClient();
  const set = async ({ id }: Key, isPaused: boolean) => {
    await updateKey({ id, status: isPaused ? PAUSED : WORKING });
    await forgetKeys(client);
  };
  return (key, isPaused) => {
    const undo = () => void set(key, !isPaused).catch(failureToast);
    set(key, isPaused).then(
      () =>
        undoToast(t(isPaused ? "keys.pausedToast" : "keys.resumedToast", { name: key.name }), undo),
      failureToast,
    );
  };
}
