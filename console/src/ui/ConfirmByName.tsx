import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

export interface ConfirmByNameProps {
  isOpen: boolean;
  title: string;
  /** What will be gone, in one or two sentences. */
  children: ReactNode;
  /** What must be typed. */
  name: string;
  /** The deed, for example "Delete channel". */
  action: string;
  isBusy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** For what cannot be undone: the name must be typed. */
export function ConfirmByName(props: ConfirmByNameProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <Typed {...props} />
    </Modal>
  );
}

function Typed({ children, name, action, isBusy = false, onConfirm, onClose }: ConfirmByNameProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const isRight = typed.trim() === name.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isRight) {
          onConfirm();
        }
      }}
    >
      <Stack gap="md">
        <Text size="sm">{children}</Text>
        <TextInput
          label={t("ui.confirm.type", { name })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
          styles={{ label: { overflowWrap: "anywhere" } }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("ui.cancel")}
          </Button>
          <Button type="submit" color="red" disabled={!isRight} loading={isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
