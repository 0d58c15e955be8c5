import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { toCsv } from "@/lib/csv";
import { downloadText } from "@/lib/download";
import { CopyField } from "@/ui/CopyButton";
import type { Key } from "./api";

/** Several secrets, shown once. */
export function SecretList({ keys, onSaved }: { keys: readonly Key[]; onSaved: () => void }) {
  const { t } = useTranslation();
  const rows = keys.map(({ name, key }) => [name, key]);
  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light" icon={<IconKey />} title={t("ui.secretOnce.title")}>
        <Text size="sm">{t("ui.secretOnce.text")}</Text>
      </Alert>
      {keys.map(({ id, name, key }) => (
        <Stack key={id} gap={2}>
          <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
            {name}
          </Text>
          <CopyField text={key ?? ""} label={name} />
        </Stack>
      ))}
      <Group justify="space-between">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={15} />}
          onClick={() => downloadText("api-keys.csv", toCsv(["name", "key"], rows), "text/csv")}
        >
          {t("keys.downloadAll")}
        </Button>
        <Button size="xs" onClick={onSaved}>
          {t("ui.secretOnce.saved")}
        </Button>
      </Group>
    </Stack>
  );
}
