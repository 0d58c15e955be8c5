import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { AdvancedFields } from "./AdvancedFields";
import type { Provider } from "./api";
import { CredentialFields } from "./CredentialFields";
import type { Draft } from "./draft";
import { ProviderMark } from "./ProviderMark";

export interface CredentialStepProps {
  provider: Provider;
  form: UseFormReturnType<Draft>;
  values: Record<string, string>;
  errors: readonly string[];
  onValues: (values: Record<string, string>) => void;
  onTest: () => void;
}

/** Name, address and key of the chosen provider. */
export function CredentialStep(props: CredentialStepProps) {
  const { provider, form, values, errors, onValues, onTest } = props;
  const { t } = useTranslation();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onTest();
      }}
    >
      <Stack gap="md">
        <Group gap="sm">
          <ProviderMark label={provider.label} />
          <Text fw={600}>{provider.label}</Text>
        </Group>
        <TextInput
          label={t("channels.field.name")}
          description={t("channels.field.nameText")}
          {...form.getInputProps("name")}
        />
        {provider.id !== "demo" && (
          <TextInput
            label={t("channels.field.base_url")}
            description={
              provider.base_url === ""
                ? t("channels.field.base_urlNeeded")
                : t("channels.field.base_urlText")
            }
            placeholder={provider.base_url}
            inputMode="url"
            {...form.getInputProps("base_url")}
          />
        )}
        <CredentialFields provider={provider} values={values} errors={errors} onChange={onValues} />
        <AdvancedFields form={form} isDemo={provider.id === "demo"} />
        <Group justify="flex-end">
          <Button type="submit">{t("channels.test.run")}</Button>
        </Group>
      </Stack>
    </form>
  );
}
