import { Button, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { toast } from "@/ui/toast";
import { forgetKeys, type Key, updateKey } from "./api";
import { KeyLimits } from "./KeyLimits";
import { inputOf, valuesOf } from "./keyForm";
import { useKeyForm } from "./useKeyForm";

/** The settings of a key, to be changed. */
export function KeySettings({ of }: { of: Key }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useKeyForm(valuesOf(of));
  const { isBusy, failure, submit } = useSubmit(
    form,
    (values) => updateKey({ id: of.id, ...inputOf(values) }),
    (changed) => {
      form.resetDirty();
      toast(t("keys.saved", { name: changed.name }));
      void forgetKeys(client);
    },
  );
  return (
    <Paper withBorder p="md">
      <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
        <Stack gap="md">
          <Title order={2} size="h4">
            {t("keys.settings")}
          </Title>
          {of.is_declared && <Text size="sm">{t("keys.declared")}</Text>}
          <TextInput label={t("keys.name")} maxLength={64} {...form.getInputProps("name")} />
          <KeyLimits form={form} />
          <FormFailure failure={failure} />
          <Group justify="flex-end">
            <Button
              type="submit"
              loading={isBusy}
              disabled={of.is_declared || !form.isDirty()}
              title={form.isDirty() ? undefined : t("keys.nothingChanged")}
            >
              {t("keys.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
