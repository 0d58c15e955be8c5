import { Button, FileInput, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconDownload, IconFileImport } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { downloadText } from "@/lib/download";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { type ImportReport, type ImportRequest, TEMPLATE, tryImport } from "./importApi";

export interface ImportFileProps {
  onTried: (request: ImportRequest, report: ImportReport) => void;
}

/** The file. Nothing is written by this form. */
export function ImportFile({ onTried }: ImportFileProps) {
  const { t } = useTranslation();
  const form = useForm<{ file: File | null; reason: string }>({
    initialValues: { file: null, reason: "" },
    validate: { file: (file) => (file === null ? t("userImport.needsFile") : null) },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    async ({ file, reason }) => {
      const request = { file: file as File, reason: reason.trim() };
      return { request, report: await tryImport(request) };
    },
    ({ request, report }) => onTried(request, report),
  );
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t("userImport.text")}
        </Text>
        <FileInput
          label={t("userImport.file")}
          description={t("userImport.fileText")}
          placeholder={t("userImport.choose")}
          accept="text/csv,.csv"
          leftSection={<IconFileImport size={16} />}
          clearable
          clearButtonProps={{ "aria-label": t("userImport.clear") }}
          {...form.getInputProps("file")}
        />
        <TextInput
          label={t("userImport.reason")}
          description={t("userImport.reasonText")}
          maxLength={500}
          {...form.getInputProps("reason")}
        />
        <FormFailure failure={failure} />
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => downloadText("users.csv", TEMPLATE, "text/csv")}
          >
            {t("userImport.template")}
          </Button>
          <Button type="submit" loading={isBusy}>
            {t("userImport.try")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
