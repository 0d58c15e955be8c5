import { Button, FileInput, Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconFileImport } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { SectionCard } from "@/ui/SectionCard";
import { beginImport, type ImportRequest, KINDS, type Kind } from "./api";
import { KIND_NAMES } from "./words";

export interface ImportFormProps {
  onBegun: (taskId: string, request: ImportRequest) => void;
}

/** The file and where it comes from. It is always tried out first: nothing is written by this form. */
export function ImportForm({ onBegun }: ImportFormProps) {
  const { t } = useTranslation();
  const form = useForm<{ kind: Kind; file: File | null; source: string; balance_usd: string }>({
    initialValues: { kind: "new-api", file: null, source: "", balance_usd: "" },
    validate: { file: (file) => (file === null ? t("imports.needsFile") : null) },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    async ({ kind, file, source, balance_usd }) => {
      const request = {
        kind,
        file: file as File,
        source: source.trim(),
        balance: kind === "litellm" ? balance_usd.trim() : "",
        isDryRun: true,
      };
      return { taskId: await beginImport(request), request };
    },
    ({ taskId, request }) => onBegun(taskId, request),
  );
  return (
    <SectionCard title={t("imports.new")} text={t("imports.newText")}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md">
          <div>
            <SegmentedControl
              aria-label={t("imports.kind")}
              data={KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] }))}
              {...form.getInputProps("kind")}
            />
          </div>
          <Group align="flex-start" grow preventGrowOverflow={false}>
            <FileInput
              miw={240}
              label={t("imports.file")}
              description={t(
                form.values.kind === "litellm" ? "imports.fileYaml" : "imports.fileDatabase",
              )}
              placeholder={t("imports.choose")}
              leftSection={<IconFileImport size={16} />}
              clearable
              clearButtonProps={{ "aria-label": t("imports.clear") }}
              {...form.getInputProps("file")}
            />
            <TextInput
              miw={240}
              label={t("imports.source")}
              description={t("imports.sourceText")}
              placeholder={form.values.kind}
              maxLength={64}
              {...form.getInputProps("source")}
            />
            {form.values.kind === "litellm" && (
              <TextInput
                miw={240}
                label={t("imports.balance")}
                description={t("imports.balanceText")}
                placeholder="0"
                inputMode="decimal"
                {...form.getInputProps("balance_usd")}
              />
            )}
          </Group>
          <FormFailure failure={failure} />
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {t("imports.dryFirst")}
            </Text>
            <Button type="submit" loading={isBusy}>
              {t("imports.dryRun")}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
