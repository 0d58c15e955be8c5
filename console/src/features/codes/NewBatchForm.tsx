import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { quotaOfUsd } from "@/lib/quota";
import { DollarInput } from "@/ui/form/DollarInput";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { CODES, type MadeCodes, makeCodes } from "./api";

/** As many as one call makes. */
const MOST = 1_000;

interface Values extends Record<string, unknown> {
  name: string;
  quota: string;
  count: string;
  expires_at: string;
}

function isCount(text: string): boolean {
  return /^\d{1,4}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= MOST;
}

/** Name, worth, number and end of a batch. */
export function NewBatchForm({ onMade }: { onMade: (made: MadeCodes) => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm<Values>({
    initialValues: { name: "", quota: "10", count: "10", expires_at: "" },
    validate: {
      name: (name) => (name.trim() === "" ? t("codes.nameMissing") : null),
      quota: (usd) => ((quotaOfUsd(usd) ?? 0) > 0 ? null : t("codes.badAmount")),
      count: (text) => (isCount(text) ? null : t("codes.badCount", { most: MOST })),
      expires_at: (text) =>
        text !== "" && Date.parse(text) <= Date.now() ? t("codes.endIsPast") : null,
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ name, quota, count, expires_at }) =>
      makeCodes({
        name: name.trim(),
        quota: quotaOfUsd(quota) ?? 0,
        count: Number(count),
        expires_at: expires_at === "" ? null : new Date(expires_at).toISOString(),
      }),
    (made) => {
      void client.invalidateQueries({ queryKey: [CODES] });
      onMade(made);
    },
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <TextInput
          label={t("codes.batch")}
          description={t("codes.batchText")}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("name")}
        />
        <DollarInput label={t("codes.worth")} {...form.getInputProps("quota")} />
        <TextInput label={t("codes.count")} inputMode="numeric" {...form.getInputProps("count")} />
        <TextInput
          label={t("codes.expires")}
          description={t("codes.expiresText")}
          type="datetime-local"
          {...form.getInputProps("expires_at")}
        />
        <Text size="sm" c="dimmed">
          {t("codes.useOnce")}
        </Text>
        <FormFailure failure={failure} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {t("codes.make")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
