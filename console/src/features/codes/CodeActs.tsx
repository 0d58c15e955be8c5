import { ActionIcon, Button, Group, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { failureToast, toast, undoToast } from "@/ui/toast";
import { CODES, type Code, deleteCode, setDisabled } from "./api";

/** Off and on with undo; deleting by typing the batch's name. Redeemed codes stay on record. */
export function CodeActs({ code }: { code: Code }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: [CODES] });
  const [isAsking, setAsking] = useState(false);
  const isOff = code.status === "disabled";
  const toggle = useMutation({
    mutationFn: () => setDisabled(code.id, !isOff),
    onSuccess: async () => {
      await refresh();
      undoToast(t(isOff ? "codes.isOn" : "codes.isOff", { id: code.id }), () => {
        void setDisabled(code.id, isOff).then(refresh, failureToast);
      });
    },
    onError: failureToast,
  });
  const remove = useMutation({
    mutationFn: () => deleteCode(code.id),
    onSuccess: async () => {
      toast(t("codes.deleted", { id: code.id }));
      await refresh();
    },
    onError: failureToast,
    onSettled: () => setAsking(false),
  });
  if (code.status === "redeemed") {
    return null;
  }
  const deleteText = t("codes.deleteOne", { id: code.id });
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        loading={toggle.isPending}
        aria-label={t(isOff ? "codes.switchOnOne" : "codes.switchOffOne", { id: code.id })}
        onClick={() => toggle.mutate()}
      >
        {t(isOff ? "codes.switchOn" : "codes.switchOff")}
      </Button>
      <Tooltip label={deleteText}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={deleteText}
          onClick={() => setAsking(true)}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
      <ConfirmByName
        isOpen={isAsking}
        title={deleteText}
        name={code.name}
        action={t("codes.delete")}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      >
        {t("codes.deleteText")}
      </ConfirmByName>
    </Group>
  );
}
