import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { statusQuery, useSession } from "@/session/session";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { SectionCard } from "@/ui/SectionCard";
import { toast } from "@/ui/toast";
import { changeProfile, sessionsQuery } from "./api";

const NOTHING = { original_password: "", password: "", repeated: "" };

/** A new password takes the present one, and ends all other sessions. */
export function PasswordForm() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { user } = useSession();
  const { data: status } = useQuery(statusQuery);
  const length = status?.password_length ?? 0;
  const form = useForm({
    initialValues: NOTHING,
    validate: {
      password: (password) =>
        [...password].length < length ? t("account.passwordShort", { length }) : null,
      repeated: (repeated, { password }) =>
        repeated === password ? null : t("account.passwordDiffers"),
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ original_password, password }) => changeProfile({ original_password, password }),
    () => {
      form.setValues(NOTHING);
      toast(t("account.passwordChanged"));
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  );
  const eye = { "aria-label": t("account.showPassword") };
  return (
    <SectionCard title={t("account.password")} text={t("account.passwordText")}>
      <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
        {/* Password managers pair the new password with this name. */}
        <input type="text" hidden readOnly autoComplete="username" value={user.username} />
        <Stack gap="md" maw={480}>
          <PasswordInput
            label={t("account.presentPassword")}
            autoComplete="current-password"
            visibilityToggleButtonProps={eye}
            {...form.getInputProps("original_password")}
          />
          <PasswordInput
            label={t("account.newPassword")}
            description={t("account.passwordLength", { length })}
            autoComplete="new-password"
            visibilityToggleButtonProps={eye}
            {...form.getInputProps("password")}
          />
          <PasswordInput
            label={t("account.repeatPassword")}
            autoComplete="new-password"
            visibilityToggleButtonProps={eye}
            {...form.getInputProps("repeated")}
          />
          <FormFailure failure={failure} />
          <Group>
            <Button type="submit" loading={isBusy}>
              {t("account.changePassword")}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
