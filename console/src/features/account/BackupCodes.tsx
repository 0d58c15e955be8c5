import { Alert, Button, Code, Group, Modal, SimpleGrid, Stack } from "@mantine/core";
import { IconDownload, IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { downloadText } from "@/lib/download";
import { CopyButton } from "@/ui/CopyButton";

export interface BackupCodesProps {
  codes: readonly string[];
  /** "I saved them": leaves the only view that shows them. */
  onSaved: () => void;
}

/** Codes for when the app is lost; shown this once. */
export function BackupCodes({ codes, onSaved }: BackupCodesProps) {
  const { t } = useTranslation();
  const text = `${codes.join("\n")}\n`;
  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light" icon={<IconKey />} title={t("account.codesOnce")}>
        {t("account.codesOnceText")}
      </Alert>
      <SimpleGrid
        component="ul"
        cols={2}
        spacing="xs"
        m={0}
        p={0}
        style={{ listStyle: "none" }}
        aria-label={t("account.backupCodes")}
      >
        {codes.map((code) => (
          <li key={code}>
            <Code fz="sm" p="xs" block>
              {code}
            </Code>
          </li>
        ))}
      </SimpleGrid>
      <Group gap="xs">
        <CopyButton text={text} label={t("account.backupCodes")} withText />
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={15} />}
          onClick={() => downloadText("modelgate-backup-codes.txt", text)}
        >
          {t("account.saveCodes")}
        </Button>
        <Button size="xs" ms="auto" onClick={onSaved}>
          {t("account.codesSaved")}
        </Button>
      </Group>
    </Stack>
  );
}

/** The same in a dialog of its own; closed where there are none. */
export function BackupCodesModal({
  codes,
  onSaved,
}: {
  codes: readonly string[] | undefined;
  onSaved: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={codes !== undefined}
      onClose={onSaved}
      title={t("account.backupCodes")}
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <BackupCodes codes={codes ?? []} onSaved={onSaved} />
    </Modal>
  );
}
