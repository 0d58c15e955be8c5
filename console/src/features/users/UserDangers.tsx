import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { SectionCard } from "@/ui/SectionCard";
import { failureToast, toast, undoToast } from "@/ui/toast";
import { deleteUser, resetFactor, setEnabled, USERS, type User } from "./api";
import { ENABLED } from "./roles";

/** Disabling (with undo), resetting the second factor, deleting (by typing the name). */
export function UserDangers({ user, canManage }: { user: User; canManage: boolean }) {
  const { t } = useTranslation();
  const { user: actor } = useSession();
  const isSelf = user.id === actor.id;
  const isAllowed = canManage && !isSelf;
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: [USERS] });
  const isEnabled = user.status === ENABLED;
  const toggle = useMutation({
    mutationFn: () => setEnabled(user.id, !isEnabled),
    onSuccess: async () => {
      await refresh();
      const said = t(isEnabled ? "users.isDisabled" : "users.isEnabled", { name: user.username });
      undoToast(said, () => {
        void setEnabled(user.id, isEnabled).then(refresh, failureToast);
      });
    },
    onError: failureToast,
  });
  const reset = useMutation({
    mutationFn: () => resetFactor(user.id),
    onSuccess: async () => {
      await refresh();
      toast(t("users.factorReset", { name: user.username }));
    },
    onError: failureToast,
  });
  return (
    <SectionCard title={t("users.dangers")} {...(isSelf ? { text: t("users.notYourself") } : {})}>
      <Deed name={t(isEnabled ? "users.disable" : "users.enable")} text={t("users.disableText")}>
        <Button
          variant="default"
          disabled={!isAllowed}
          loading={toggle.isPending}
          onClick={() => toggle.mutate()}
        >
          {t(isEnabled ? "users.disable" : "users.enable")}
        </Button>
      </Deed>
      <Deed name={t("users.resetFactor")} text={t("users.resetFactorText")}>
        <Button
          variant="default"
          h="auto"
          py={8}
          styles={{ label: { whiteSpace: "normal" } }}
          disabled={!isAllowed}
          loading={reset.isPending}
          onClick={() => reset.mutate()}
        >
          {t("users.resetFactor")}
        </Button>
      </Deed>
      <DeleteUser user={user} isAllowed={isAllowed} />
    </SectionCard>
  );
}

function DeleteUser({ user, isAllowed }: { user: User; isAllowed: boolean }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteUser(user.id),
    onSuccess: async () => {
      toast(t("users.deleted", { name: user.username }));
      await navigate({ to: "/console/users" });
      client.removeQueries({ queryKey: [USERS, "one", user.id] });
      await client.invalidateQueries({ queryKey: [USERS] });
    },
    onError: (error) => {
      setAsking(false);
      failureToast(error);
    },
  });
  return (
    <Deed name={t("users.delete")} text={t("users.deleteText")}>
      <Button color="red" variant="light" disabled={!isAllowed} onClick={() => setAsking(true)}>
        {t("users.delete")}
      </Button>
      <ConfirmByName
        isOpen={isAsking}
        title={t("users.delete")}
        name={user.username}
        action={t("users.delete")}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      >
        {t("users.deleteText")}
      </ConfirmByName>
    </Deed>
  );
}

function Deed({ name, text, children }: { name: string; text: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="sm">
      <Stack gap={0} flex={1} miw={220}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Stack>
      {children}
    </Group>
  );
}
