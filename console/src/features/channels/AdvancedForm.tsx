// What few channels need: proxy, limits, timeouts, and what is changed in each request.

import {
  Code,
  JsonInput,
  MultiSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useTranslation } from "react-i18next";
import { LaterTexts } from "@/ui/LaterTexts";
import type { AdvancedFieldsProps } from "./AdvancedFields";
import { changedBody, isJsonObject } from "./overrides";

const DIALECTS = ["chat", "responses", "messages", "generate", "completions"];

const LIMITS = [
  ["rpm", "channels.field.rpm"],
  ["tpm", "channels.field.tpm"],
  ["concurrency", "channels.field.concurrency"],
] as const;

const TIMEOUTS = [
  ["connect_ms", "channels.field.connect_ms"],
  ["first_byte_ms", "channels.field.first_byte_ms"],
  ["idle_ms", "channels.field.idle_ms"],
] as const;

/** The fields themselves, loaded when somebody unfolds them. */
export function AdvancedForm({ form, isDemo }: AdvancedFieldsProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <TextInput
        label={t("channels.field.proxy")}
        description={t("channels.field.proxyText")}
        placeholder="http://user:password@proxy.example:8080"
        {...form.getInputProps("proxy")}
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {LIMITS.map(([name, text]) => (
          <NumberInput
            key={name}
            label={t(text)}
            min={0}
            allowDecimal={false}
            placeholder={t("channels.noLimit")}
            {...form.getInputProps(name)}
          />
        ))}
        {TIMEOUTS.map(([name, text]) => (
          <NumberInput
            key={name}
            label={t(text)}
            min={0}
            step={1000}
            allowDecimal={false}
            placeholder={t("channels.ownTimeout")}
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
      <MultiSelect
        label={t("channels.field.dialects")}
        description={t("channels.field.dialectsText")}
        data={DIALECTS}
        clearable
        {...form.getInputProps("dialects")}
      />
      <RequestChanges form={form} isDemo={isDemo} />
      <LaterTexts>
        <BodyPreview form={form} />
        <PauseRule />
      </LaterTexts>
    </Stack>
  );
}

function RequestChanges({ form, isDemo }: AdvancedFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Textarea
        label={t("channels.field.headers")}
        description={t("channels.field.headersText")}
        autosize
        minRows={2}
        ff="monospace"
        {...form.getInputProps("overrides.headers")}
      />
      <TagsInput
        label={t("channels.field.drop_headers")}
        {...form.getInputProps("overrides.drop_headers")}
      />
      <JsonInput
        label={t("channels.field.body")}
        description={t("channels.field.bodyText")}
        autosize
        minRows={2}
        formatOnBlur
        {...form.getInputProps("overrides.body")}
      />
      <TagsInput
        label={t("channels.field.drop_body")}
        {...form.getInputProps("overrides.drop_body")}
      />
      <Textarea
        label={t("channels.field.tls_roots")}
        description={t("channels.field.tls_rootsText")}
        autosize
        minRows={2}
        maxRows={6}
        {...form.getInputProps("overrides.tls_roots")}
      />
      {isDemo && (
        <JsonInput
          label={t("channels.field.demo")}
          description={t("channels.field.demoText")}
          autosize
          minRows={2}
          formatOnBlur
          {...form.getInputProps("overrides.demo")}
        />
      )}
    </>
  );
}

/** The first model that clients ask for, or a word for one. */
function sampleOf(model: string | undefined) {
  return {
    model: model ?? "model",
    messages: [{ role: "user", content: "Hello" }],
    temperature: 1,
    user: "user-1",
    stream: true,
  };
}

/** A request as the upstream gets it, where fields of its body are changed. */
function BodyPreview({ form }: Pick<AdvancedFieldsProps, "form">) {
  const { t } = useTranslation();
  const { overrides, models } = form.values;
  const isChanged = overrides.body.trim() !== "" || overrides.drop_body.length > 0;
  if (!isChanged || !isJsonObject(overrides.body)) {
    return null;
  }
  const body = changedBody(sampleOf(models[0]?.upstream), overrides);
  return (
    <div>
      <Text size="sm" fw={500}>
        {t("channels.preview.title")}
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        {t("channels.preview.text")}
      </Text>
      <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {JSON.stringify(body, null, 2)}
      </Code>
    </div>
  );
}

/** When the gateway pauses a channel by itself: the same for all, and nothing to set. */
function PauseRule() {
  const { t } = useTranslation();
  return (
    <div>
      <Text size="sm" fw={500}>
        {t("channels.pause.title")}
      </Text>
      <Text size="sm" c="dimmed">
        {t("channels.pause.text")}
      </Text>
    </div>
  );
}
