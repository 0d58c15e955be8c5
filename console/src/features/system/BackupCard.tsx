import { Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { SectionCard } from "@/ui/SectionCard";
import { failureToast, toast } from "@/ui/toast";
import { makeBackup } from "./api";

/** A copy of the records to take away; PostgreSQL has tools of its own for that. */
export function BackupCard({ engine }: { engine: string }) {
  const { t } = useTranslation();
  const [isAsking, dialog] = useDisclosure(false);
  if (engine !== "sqlite") {
    return (
      <SectionCard title={t("system.backup")} text={t("system.backupPostgres")}>
        <Code block>{'pg_dump --format=custom --file=modelgate.dump "$DATABASE_URL"'}</Code>
      </SectionCard>
    );
  }
  return (
    <SectionCard
      title={t("system.backup")}
      text={t("system.backupText")}
      aside={
        <Button
          variant="default"
          size="sm"
          leftSection={<IconDownload size={16} />}
          onClick={dialog.open}
        >
          {t("system.backupDownload")}
        </Button>
      }
    >
      <Text size="sm">{t("system.backupKeys")}</Text>
      <BackupDialog isOpen={isAsking} onClose={dialog.close} />
    </SectionCard>
  );
}

function BackupDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const make = useMutation({
    mutationFn: makeBackup,
    onSuccess: (address) => {
      // The browser saves it as it comes; the page stays.
      window.location.assign(address);
      toast(t("system.backupBegun"));
      onClose();
    },
    onError: failureToast,
  });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("system.backupTitle")}
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <Stack gap="md">
        <Text size="sm">{t("system.backupWarning")}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("ui.cancel")}
          </Button>
          <Button loading={make.isPending} onClick={() => make.mutate()}>
            {t("system.backupMake")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
