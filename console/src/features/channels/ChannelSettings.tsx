// The settings of a stored channel. Keys have their own tab; another way out (host, proxy,
// authorities) needs them anew.

import {
  Button,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  TagsInput,
  TextInput,
  Title,
} from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { failureToast, toast } from "@/ui/toast";
import { AdvancedFields } from "./AdvancedFields";
import { type Channel, fetchModels, providersQuery, updateChannel } from "./api";
import { CredentialFields } from "./CredentialFields";
import { composeKey } from "./credentials";
import { type Draft, draftOf, settingsOf } from "./draft";
import { GroupsInput } from "./GroupsInput";
import { ModelPicker } from "./ModelPicker";
import { isJsonObject } from "./overrides";
import { PriorityInput, WeightInput } from "./ShareInputs";
import { useRefreshChannels } from "./useRefreshChannels";

export function ChannelSettings({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const refresh = useRefreshChannels();
  const [values, setValues] = useState<Record<string, string>>({});
  const provider = useQuery(providersQuery).data?.find(({ id }) => id === channel.type);
  const form = useForm<Draft>({
    initialValues: draftOf(channel),
    validate: {
      name: (name) => (name.trim() === "" ? t("channels.required") : null),
      overrides: {
        body: (body) => (isJsonObject(body) ? null : t("channels.notJson")),
        demo: (demo) => (isJsonObject(demo) ? null : t("channels.notJson")),
      },
    },
  });
  const needsKey = wayOf(form.values) !== wayOf(draftOf(channel));
  const { isBusy, failure, submit } = useSubmit(
    form,
    (draft) => {
      const key = needsKey ? composeKey(provider?.credential_fields ?? [], values) : "";
      const settings = settingsOf(draft, channel.overrides);
      return updateChannel({ id: channel.id, ...settings, ...(key === "" ? {} : { key }) });
    },
    (saved) => {
      toast(t("channels.saved", { name: saved.name }));
      void refresh();
    },
  );
  return (
    <form onSubmit={form.onSubmit((draft) => void submit(draft))}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t("channels.field.name")} {...form.getInputProps("name")} />
          {channel.type !== "demo" && (
            <TextInput
              label={t("channels.field.base_url")}
              placeholder={provider?.base_url ?? ""}
              inputMode="url"
              {...form.getInputProps("base_url")}
            />
          )}
          <GroupsInput {...form.getInputProps("groups")} />
          <TagsInput
            label={t("channels.field.tags")}
            description={t("channels.field.tagsText")}
            {...form.getInputProps("tags")}
          />
          <PriorityInput {...form.getInputProps("priority")} />
          <WeightInput {...form.getInputProps("weight")} />
        </SimpleGrid>
        {needsKey && provider !== undefined && channel.key_count > 0 && (
          <Paper withBorder p="md">
            <Stack gap="sm">
              <Title order={3} size="h5">
                {t("channels.one.keyAgain")}
              </Title>
              <CredentialFields provider={provider} values={values} onChange={setValues} />
            </Stack>
          </Paper>
        )}
        <Models channel={channel} form={form} />
        <AdvancedFields form={form} isDemo={channel.type === "demo"} />
        <FormFailure failure={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={!form.isDirty()} onClick={form.reset}>
            {t("channels.discard")}
          </Button>
          <Button type="submit" loading={isBusy} disabled={!form.isDirty() || channel.is_declared}>
            {t("channels.save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Models({ channel, form }: { channel: Channel; form: UseFormReturnType<Draft> }) {
  const { t } = useTranslation();
  const [available, setAvailable] = useState<readonly string[]>();
  const [isBusy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    try {
      const { models } = await fetchModels({ id: channel.id });
      setAvailable(models ?? undefined);
      if (models === null) {
        toast(t("channels.models.noList"));
      }
    } catch (error) {
      failureToast(error);
    } finally {
      setBusy(false);
    }
  };
  const before = new Set(form.values.models.map(({ upstream }) => upstream));
  const added = available?.filter((name) => !before.has(name)).length;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t("channels.models")}
        </Title>
        <Group gap="sm">
          {added !== undefined && (
            <span role="status">{t("channels.models.new", { count: added })}</span>
          )}
          <Button variant="default" size="xs" loading={isBusy} onClick={() => void load()}>
            {t("channels.models.fetch")}
          </Button>
        </Group>
      </Group>
      <ModelPicker
        available={available}
        value={form.values.models}
        onChange={(models) => form.setFieldValue("models", models)}
      />
    </Stack>
  );
}

/** What keys are pinned to: origin, proxy, and authorities to trust. */
function wayOf({ base_url, proxy, overrides }: Draft): string {
  return JSON.stringify([originOf(base_url), proxy.trim(), overrides.tls_roots.trim()]);
}

/** Scheme, host and port; empty for the provider's own. */
function originOf(address: string): string {
  try {
    return new URL(address).origin;
  } catch {
    return "";
  }
}
