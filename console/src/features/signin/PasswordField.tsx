import { PasswordInput, type PasswordInputProps, Progress, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

export interface PasswordFieldProps extends PasswordInputProps {
  value?: string;
  /** Least length that the gateway takes. */
  least: number;
}

/** A new password with how much of the least length it has. */
export function PasswordField({ least, ...input }: PasswordFieldProps) {
  const { t } = useTranslation();
  const length = [...(input.value ?? "")].length;
  const isLong = length >= least;
  return (
    <Stack gap={6}>
      <PasswordInput
        label={t("session.password")}
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={least}
        visibilityToggleButtonProps={{ "aria-label": t("session.showPassword") }}
        {...input}
      />
      <Progress
        size="xs"
        value={Math.min(100, (length / least) * 100)}
        color={isLong ? "green" : "orange"}
        aria-label={t("signin.passwordLength")}
      />
      <Text size="xs" c="dimmed">
        {isLong ? t("signin.passwordFine") : t("signin.passwordMissing", { count: least - length })}
      </Text>
    </Stack>
  );
}
