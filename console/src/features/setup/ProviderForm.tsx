import {
  Button,
  Group,
  MultiSelect,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";
import { DataRegion } from "@/ui/DataRegion";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { PageHead } from "@/ui/PageHead";
import { fetchModels, makeChannel, type Provider, providersQuery } from "./api";

const DEMO = "demo";
/** A first channel serves what is asked for first; the rest is added on the channels page. */
const CHOSEN_AT_FIRST = 5;

/** A provider with its credential and the models to offer. */
export function ProviderForm({ onMade }: { onMade: (channel: Schema<"Channel">) => void }) {
  const { t } = useTranslation();
  const providers = useQuery(providersQuery);
  return (
    <Stack gap="md">
      <PageHead title={t("setup.providerTitle")} description={t("setup.providerFormText")} />
      <DataRegion query={providers} skeletonHeight={240}>
        {(list) => <Fields providers={list.filter(({ id }) => id !== DEMO)} onMade={onMade} />}
      </DataRegion>
    </Stack>
  );
}

interface Values {
  [field: string]: unknown;
  type: string;
  base_url: string;
  models: string[];
  key: Record<string, string>;
}

function Fields({
  providers,
  onMade,
}: {
  providers: readonly Provider[];
  onMade: (channel: Schema<"Channel">) => void;
}) {
  const { t } = useTranslation();
  const form = useForm<Values>({
    initialValues: { type: "openai", base_url: "", models: [], key: {} },
  });
  const [offered, setOffered] = useState<readonly string[]>();
  const provider = providers.find(({ id }) => id === form.values.type);
  const settings = () => settingsOf(form.getValues(), provider);
  const fetching = useSubmit(
    form,
    () => fetchModels(settings()),
    (models) => {
      setOffered(models);
      form.setFieldValue("models", models.slice(0, CHOSEN_AT_FIRST));
    },
  );
  const saving = useSubmit(
    form,
    (values) => makeChannel({ ...settings(), name: values.type, models: values.models }),
    onMade,
  );
  return (
    <form onSubmit={form.onSubmit((values) => void saving.submit(values))}>
      <Stack gap="md">
        <Select
          label={t("setup.provider")}
          searchable
          allowDeselect={false}
          data={providers.map(({ id, label }) => ({ value: id, label }))}
          {...form.getInputProps("type")}
        />
        {/* Another address is for a server of one's own that speaks the provider's language. */}
        <TextInput
          type="url"
          label={t("setup.baseUrl")}
          placeholder={provider?.base_url ?? ""}
          required={provider?.base_url === ""}
          withAsterisk={false}
          {...form.getInputProps("base_url")}
        />
        {provider?.credential_fields.map(({ name, label, required }) => (
          <PasswordInput
            key={`${provider.id} ${name}`}
            label={label}
            required={required}
            withAsterisk={false}
            autoComplete="off"
            visibilityToggleButtonProps={{ "aria-label": t("session.showPassword") }}
            {...form.getInputProps(`key.${name}`)}
          />
        ))}
        <FormFailure failure={fetching.failure ?? saving.failure} />
        {offered === undefined ? (
          <Group justify="flex-end">
            <Button loading={fetching.isBusy} onClick={() => void fetching.submit(form.values)}>
              {t("setup.readModels")}
            </Button>
          </Group>
        ) : (
          <>
            <MultiSelect
              label={t("setup.models")}
              searchable
              limit={50}
              data={[...offered]}
              {...form.getInputProps("models")}
            />
            <Text size="sm" c="dimmed">
              {t("setup.modelsText", { count: offered.length })}
            </Text>
            <Group justify="flex-end">
              <Button
                type="submit"
                loading={saving.isBusy}
                disabled={form.values.models.length === 0}
              >
                {t("setup.saveAndTest")}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </form>
  );
}

/** One field is the key itself; several are one JSON object. */
function settingsOf(values: Values, provider: Provider | undefined) {
  const names = provider?.credential_fields.map(({ name }) => name) ?? [];
  const [first = ""] = names;
  const key = names.length > 1 ? JSON.stringify(values.key) : (values.key[first] ?? "");
  return { type: values.type, key, base_url: values.base_url || null };
}
