import {
  Fieldset,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  TagsInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { groupChoicesQuery, modelNamesQuery } from "./api";
import { EXPIRY_DAYS, type Expiry } from "./keyForm";
import type { KeyForm } from "./useKeyForm";

/** Paths that a key can be kept to, as the log names them. */
const ENDPOINTS = [
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/messages",
  "/v1beta/models:generateContent",
  "/v1beta/models:streamGenerateContent",
  "/v1/completions",
  "/v1/embeddings",
  "/v1/rerank",
  "/v1/moderations",
  "/v1/images/generations",
  "/v1/images/edits",
  "/v1/audio/speech",
  "/v1/audio/transcriptions",
  "/v1/audio/translations",
  "/v1/realtime",
];

/** Everything that narrows a key: money, pace, time, models, endpoints, networks, group. */
export function KeyLimits({ form }: { form: KeyForm }) {
  return (
    <>
      <Budgets form={form} />
      <Pace form={form} />
      <Validity form={form} />
      <Reach form={form} />
    </>
  );
}

function Budgets({ form }: { form: KeyForm }) {
  const { t } = useTranslation();
  const field = { inputMode: "decimal", leftSection: "$", placeholder: t("keys.noLimit") } as const;
  return (
    <Fieldset legend={t("keys.spend")}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          {...field}
          label={t("keys.budget.total")}
          {...form.getInputProps("budget_total_usd")}
        />
        <TextInput
          {...field}
          label={t("keys.budget.daily")}
          {...form.getInputProps("budget_daily_usd")}
        />
        <TextInput
          {...field}
          label={t("keys.budget.weekly")}
          {...form.getInputProps("budget_weekly_usd")}
        />
        <TextInput
          {...field}
          label={t("keys.budget.monthly")}
          {...form.getInputProps("budget_monthly_usd")}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

function Pace({ form }: { form: KeyForm }) {
  const { t } = useTranslation();
  const field = { min: 0, allowDecimal: false, placeholder: t("keys.noLimit"), hideControls: true };
  return (
    <Fieldset legend={t("keys.pace")}>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <NumberInput {...field} label={t("keys.rpm")} {...form.getInputProps("rpm")} />
        <NumberInput {...field} label={t("keys.tpm")} {...form.getInputProps("tpm")} />
        <NumberInput
          {...field}
          label={t("keys.concurrency")}
          {...form.getInputProps("concurrency")}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

function Validity({ form }: { form: KeyForm }) {
  const { t } = useTranslation();
  const presets = Object.entries(EXPIRY_DAYS).map(([value, days]) => ({
    value,
    label: t("keys.expiry.days", { count: days }),
  }));
  return (
    <Fieldset legend={t("keys.validity")}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={t("keys.expires")}
          allowDeselect={false}
          data={[
            { value: "never", label: t("keys.expiry.never") },
            ...presets,
            { value: "custom", label: t("keys.expiry.custom") },
          ]}
          {...form.getInputProps("expiry")}
          onChange={(value) => form.setFieldValue("expiry", (value ?? "never") as Expiry)}
        />
        {form.values.expiry === "custom" && (
          <TextInput
            type="datetime-local"
            label={t("keys.expiresAt")}
            {...form.getInputProps("expires_at")}
          />
        )}
      </SimpleGrid>
    </Fieldset>
  );
}

function Reach({ form }: { form: KeyForm }) {
  const { t } = useTranslation();
  const { group } = form.values;
  const models = useQuery(modelNamesQuery(group));
  const groups = useQuery(groupChoicesQuery).data ?? [];
  const choices = groups.map(({ name, multiplier }) => ({
    value: name,
    label: `${name} (× ${multiplier})`,
  }));
  const isOffered = group === null || groups.some(({ name }) => name === group);
  return (
    <Fieldset legend={t("keys.reach")}>
      <SimpleGrid cols={1} spacing="sm">
        <TagsInput
          label={t("keys.models")}
          description={t("keys.modelsText")}
          placeholder={form.values.models.length === 0 ? t("keys.all") : ""}
          data={models.data ?? []}
          limit={100}
          clearable
          {...form.getInputProps("models")}
        />
        <MultiSelect
          label={t("keys.endpoints")}
          placeholder={form.values.endpoints.length === 0 ? t("keys.all") : ""}
          data={[...new Set([...ENDPOINTS, ...form.values.endpoints])]}
          searchable
          clearable
          {...form.getInputProps("endpoints")}
        />
        <Textarea
          label={t("keys.networks")}
          description={t("keys.networksText")}
          placeholder={t("keys.networksExample")}
          autosize
          minRows={2}
          {...form.getInputProps("cidrs")}
        />
        {(choices.length > 1 || group !== null) && (
          <Select
            label={t("keys.group")}
            description={groups.find(({ name }) => name === group)?.description}
            placeholder={t("keys.groupOwn")}
            data={isOffered ? choices : [...choices, group]}
            clearable
            {...form.getInputProps("group")}
          />
        )}
      </SimpleGrid>
    </Fieldset>
  );
}
