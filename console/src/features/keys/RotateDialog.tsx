import { Button, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SecretOnce } from "@/ui/SecretOnce";
import { failureToast } from "@/ui/toast";
import { forgetKeys, type Key, rotateKey } from "./api";

/** How long the former secret may still work, in seconds. */
const OVERLAPS = [
  { seconds: 0, text: "keys.overlap.none" },
  { seconds: 3_600, text: "keys.overlap.hour" },
  { seconds: 86_400, text: "keys.overlap.day" },
] as const;

export interface RotateDialogProps {
  /** The key; absent while the dialog is closed. */
  of: Key | undefined;
  onClose: () => void;
}

/** Gives a key a new secret and shows it once. */
export function RotateDialog({ of, onClose }: RotateDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={of !== undefined}
      onClose={onClose}
      title={t("keys.rotateTitle", { name: of?.name ?? "" })}
      closeButtonProps={{ "aria-label": t("ui.close") }}
      styles={{ title: { overflowWrap: "anywhere", minWidth: 0 } }}
    >
      {of !== undefined && <Rotation of={of} onClose={onClose} />}
    </Modal>
  );
}

function Rotation({ of, onClose }: { of: Key; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [overlap, setOverlap] = useState("3600");
  const [secret, setSecret] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  if (secret !== undefined) {
    return (
      <SecretOnce
        secret={secret}
        label={t("keys.secret")}
        variable="MODELGATE_API_KEY"
        onSaved={onClose}
      />
    );
  }
  const rotate = async () => {
    setBusy(true);
    try {
      setSecret((await rotateKey(of.id, Number(overlap))).key ?? "");
      void forgetKeys(client);
    } catch (error) {
      failureToast(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="md">
      <Text size="sm">{t("keys.rotateText")}</Text>
      <Radio.Group label={t("keys.overlap")} value={overlap} onChange={setOverlap}>
        <Stack gap="xs" mt="xs">
          {OVERLAPS.map(({ seconds, text }) => (
            <Radio key={seconds} value={String(seconds)} label={t(text)} />
          ))}
        </Stack>
      </Radio.Group>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t("ui.cancel")}
        </Button>
        <Button onClick={() => void rotate()} loading={isBusy}>
          {t("keys.rotate")}
        </Button>
      </Group>
    </Stack>
  );
}
