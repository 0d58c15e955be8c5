import { Alert, Button, Code, Group, ScrollArea, Stack, Text } from "@mantine/core";
import { IconDownload, IconTicket } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { toCsv } from "@/lib/csv";
import { downloadText } from "@/lib/download";
import { formatUsd } from "@/lib/money";
import { CopyButton } from "@/ui/CopyButton";
import type { MadeCodes } from "./api";

/** The codes of a new batch: the only view that shows them. */
export function MadeBatch({ made, onSaved }: { made: MadeCodes; onSaved: () => void }) {
  const { t, i18n } = useTranslation();
  const lines = made.codes.join("\n");
  const save = () => {
    const rows = made.codes.map((code) => [code, made.name, made.quota_usd]);
    const header = [t("codes.code"), t("codes.batch"), t("codes.worth")];
    downloadText(`codes-${fileName(made.name)}.csv`, toCsv(header, rows), "text/csv");
  };
  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light" icon={<IconTicket />} title={t("codes.onceTitle")}>
        {t("codes.onceText")}
      </Alert>
      <Text size="sm">
        {t("codes.made", {
          count: made.codes.length,
          worth: formatUsd(made.quota_usd, i18n.language),
        })}
      </Text>
      <ScrollArea.Autosize mah={360} type="auto">
        <Code block fz="sm" aria-label={t("codes.title")}>
          {lines}
        </Code>
      </ScrollArea.Autosize>
      <Group gap="xs">
        <Button variant="default" size="xs" leftSection={<IconDownload size={15} />} onClick={save}>
          {t("codes.csv")}
        </Button>
        <CopyButton text={lines} label={t("codes.title")} withText />
        <Button size="xs" ms="auto" onClick={onSaved}>
          {t("codes.saved")}
        </Button>
      </Group>
    </Stack>
  );
}

/** Letters and digits only: names of batches may hold anything. */
function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
}
