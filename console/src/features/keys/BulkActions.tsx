// Acts on the selected keys, or on all that match the filter.

import { Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { everyPage } from "@/api/everyPage";
import type { Schema } from "@/api/management";
import { ConfirmByName } from "@/ui/ConfirmByName";
import type { Selection } from "@/ui/table/selection";
import { failureToast, toast, undoToast } from "@/ui/toast";
import { actOnKeys, forgetKeys, readKeys } from "./api";
import { EXPIRY_DAYS } from "./keyForm";
import type { KeysSearch } from "./search";

const DAY_MS = 86_400_000;

export interface BulkActionsProps {
  selection: Selection;
  search: KeysSearch;
  /** How many are acted on. */
  count: number;
}

export function BulkActions({ selection, search, count }: BulkActionsProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const act = async (
    action: Schema<"TokenAction">,
    onDone: (ids: number[]) => void,
    expires_at: string | null = null,
  ) => {
    setBusy(true);
    try {
      const ids = await chosenIds(selection, search);
      await actOnKeys(ids, action, expires_at);
      await forgetKeys(client);
      onDone(ids);
    } catch (error) {
      failureToast(error);
    } finally {
      setBusy(false);
    }
  };
  const pause = () =>
    act("pause", (ids) =>
      undoToast(t("keys.pausedMany", { count: ids.length }), () => {
        void actOnKeys(ids, "resume").then(() => forgetKeys(client), failureToast);
      }),
    );
  const extend = (days: number) =>
    act(
      "extend",
      (ids) => toast(t("keys.extendedMany", { count: ids.length })),
      new Date(Date.now() + days * DAY_MS).toISOString(),
    );
  const remove = () =>
    act("delete", (ids) => {
      setDeleting(false);
      selection.clear();
      toast(t("keys.deletedMany", { count: ids.length }));
    });
  return (
    <>
      <Button size="xs" variant="default" loading={isBusy} onClick={() => void pause()}>
        {t("keys.pause")}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default">
            {t("keys.extend")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {Object.values(EXPIRY_DAYS).map((days) => (
            <Menu.Item key={days} onClick={() => void extend(days)}>
              {t("keys.expiry.days", { count: days })}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button size="xs" variant="light" color="red" onClick={() => setDeleting(true)}>
        {t("keys.delete")}
      </Button>
      <ConfirmByName
        isOpen={isDeleting}
        title={t("keys.deleteMany", { count })}
        name={String(count)}
        action={t("keys.delete")}
        isBusy={isBusy}
        onConfirm={() => void remove()}
        onClose={() => setDeleting(false)}
      >
        {t("keys.deleteText")}
      </ConfirmByName>
    </>
  );
}

async function chosenIds(selection: Selection, search: KeysSearch): Promise<number[]> {
  if (!selection.isEverything) {
    return selection.ids.map(Number);
  }
  const keys = await everyPage((p, size) => readKeys(search, p, size));
  return keys.map(({ id }) => id);
}
