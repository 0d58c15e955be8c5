import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { downloadText } from "@/lib/download";
import { CopyButton, CopyField } from "./CopyButton";

export interface SecretOnceProps {
  /** The secret; it must live in the memory of this view only. */
  secret: string;
  /** What it is, for example "API key". */
  label: string;
  /** The variable's name in the downloaded `.env` file. */
  variable: string;
  /** More lines for the file, for example the base address. */
  more?: Readonly<Record<string, string>>;
  /** "I saved it": leaves the only view that shows it. */
  onSaved: () => void;
}

/** A secret that the gateway will not show again: copy, download, and only then on. */
export function SecretOnce({ secret, label, variable, more = {}, onSaved }: SecretOnceProps) {
  const { t } = useTranslation();
  const lines = Object.entries({ ...more, [variable]: secret });
  const file = lines.map(([name, value]) => `${name}=${value}\n`).join("");
  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light" icon={<IconKey />} title={t("ui.secretOnce.title")}>
        <Text size="sm">{t("ui.secretOnce.text")}</Text>
      </Alert>
      <CopyField text={secret} label={label} />
      <Group gap="xs">
        <CopyButton text={secret} label={label} withText />
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={15} />}
          onClick={() => downloadText(".env", file)}
        >
          {t("ui.secretOnce.download")}
        </Button>
        <Button size="xs" onClick={onSaved} ms="auto">
          {t("ui.secretOnce.saved")}
        </Button>
      </Group>
    </Stack>
  );
}
