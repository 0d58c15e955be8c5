import { Button, Group, Modal, Select, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { everyPage } from "@/api/everyPage";
import { useSession } from "@/session/session";
import { SelectionBar } from "@/ui/table/SelectionBar";
import type { Selection } from "@/ui/table/selection";
import { failureToast, toast, undoToast } from "@/ui/toast";
import {
  changeUser,
  groupNamesQuery,
  listUsers,
  readUser,
  setEnabled,
  USERS,
  type User,
  type UserFilter,
} from "./api";
import { doForEach } from "./doForEach";
import { ENABLED, mayManage } from "./roles";

export interface UserBulkProps {
  selection: Selection;
  filter: UserFilter;
  total: number | undefined;
}

/** Acts on the selected users, or on all that match. Those above oneself are left out. */
export function UserBulk({ selection, filter, total }: UserBulkProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { user: actor } = useSession();
  const [isChoosing, setChoosing] = useState(false);

  const chosen = async (): Promise<User[]> => {
    const all = selection.isEverything
      ? await everyPage((page, size) => listUsers(filter, page, size))
      : await Promise.all(selection.ids.map((id) => readUser(Number(id))));
    return all.filter((user) => user.id !== actor.id && mayManage(actor, user));
  };
  const act = useMutation({
    mutationFn: async ({ which, change }: Deed) => {
      const users = (await chosen()).filter(which);
      return doForEach(users, change);
    },
    onSuccess: ({ done, failed }, { undo }) => {
      selection.clear();
      void client.invalidateQueries({ queryKey: [USERS] });
      const message = t("users.bulkDone", { count: done.length });
      if (undo === undefined || done.length === 0) {
        toast(message);
      } else {
        undoToast(message, () => {
          void doForEach(done, undo).then(() => client.invalidateQueries({ queryKey: [USERS] }));
        });
      }
      if (failed !== undefined) {
        failureToast(failed);
      }
    },
    onError: failureToast,
  });
  const enable = (isEnabled: boolean): Deed => ({
    which: (user) => (user.status === ENABLED) !== isEnabled,
    change: (user) => setEnabled(user.id, isEnabled),
    undo: (user) => setEnabled(user.id, !isEnabled),
  });
  return (
    <SelectionBar selection={selection} total={total}>
      <Button
        size="xs"
        variant="default"
        loading={act.isPending}
        onClick={() => act.mutate(enable(true))}
      >
        {t("users.enable")}
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={act.isPending}
        onClick={() => act.mutate(enable(false))}
      >
        {t("users.disable")}
      </Button>
      <Button size="xs" variant="default" loading={act.isPending} onClick={() => setChoosing(true)}>
        {t("users.toGroup")}
      </Button>
      <Modal
        opened={isChoosing}
        onClose={() => setChoosing(false)}
        title={t("users.toGroup")}
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        <ChooseGroup
          onChosen={(group) => {
            setChoosing(false);
            act.mutate({
              which: (user) => user.group !== group,
              change: (user) => changeUser({ id: user.id, group }),
              undo: (user) => changeUser({ id: user.id, group: user.group }),
            });
          }}
        />
      </Modal>
    </SelectionBar>
  );
}

interface Deed {
  /** Those for whom it changes something. */
  which: (user: User) => boolean;
  change: (user: User) => Promise<unknown>;
  undo?: (user: User) => Promise<unknown>;
}

function ChooseGroup({ onChosen }: { onChosen: (group: string) => void }) {
  const { t } = useTranslation();
  const { data: groups = [] } = useQuery(groupNamesQuery);
  const [group, setGroup] = useState<string | null>(null);
  return (
    <Stack gap="md">
      <Select
        label={t("users.column.group")}
        searchable
        data={groups}
        value={group}
        onChange={setGroup}
        data-autofocus
      />
      <Group justify="flex-end">
        <Button disabled={group === null} onClick={() => group !== null && onChosen(group)}>
          {t("users.move")}
        </Button>
      </Group>
    </Stack>
  );
}
