import { PasswordInput, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Provider } from "./api";

/** Parts of a key that are no secret, and are read better when they are seen. */
const OPEN_FIELDS = new Set([
  "organization",
  "project",
  "project_id",
  "client_email",
  "token_uri",
  "location",
  "region",
  "access_key_id",
]);

export interface CredentialFieldsProps {
  provider: Provider;
  values: Readonly<Record<string, string>>;
  errors?: readonly string[];
  onChange: (values: Record<string, string>) => void;
}

/** The fields of this provider's key and no others. */
export function CredentialFields(props: CredentialFieldsProps) {
  const { provider, values, errors = [], onChange } = props;
  const { t } = useTranslation();
  if (provider.credential_fields.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("channels.new.noCredential")}
      </Text>
    );
  }
  return (
    <Stack gap="md">
      {provider.credential_fields.map(({ name, label, required }) => {
        const shared = {
          label: required ? label : t("channels.optional", { label }),
          value: values[name] ?? "",
          error: errors.includes(name) ? t("channels.required") : undefined,
          autoComplete: "off",
          onChange: (event: { currentTarget: { value: string } }) =>
            onChange({ ...values, [name]: event.currentTarget.value }),
        };
        if (name === "private_key") {
          return <Textarea key={name} {...shared} autosize minRows={3} maxRows={8} />;
        }
        return OPEN_FIELDS.has(name) ? (
          <TextInput key={name} {...shared} />
        ) : (
          <PasswordInput
            key={name}
            {...shared}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ "aria-label": t("channels.showKey") }}
          />
        );
      })}
    </Stack>
  );
}
