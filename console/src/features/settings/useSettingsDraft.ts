// Unsaved changes of the settings pages, and their saving: all of them or none.

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "@/ui/toast";
import { changeSettings, type Setting, settingsQuery } from "./api";
import { type Changes, refusedSetting, withChange } from "./changes";

export type SettingsDraft = ReturnType<typeof useSettingsDraft>;

export function useSettingsDraft() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [changes, setChanges] = useState<Changes>({});
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const count = Object.keys(changes).length;
  const save = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await changeSettings(changes);
      setChanges({});
      toast(t("settings.saved", { count }));
      await client.invalidateQueries({ queryKey: settingsQuery.queryKey });
      await client.invalidateQueries({ queryKey: ["session", "status"] });
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return {
    changes,
    count,
    isBusy,
    failure,
    refused: refusedSetting(failure),
    change: (setting: Setting, value: unknown) =>
      setChanges((before) => withChange(before, setting, value)),
    discard: () => {
      setChanges({});
      setFailure(undefined);
    },
    save,
  };
}
