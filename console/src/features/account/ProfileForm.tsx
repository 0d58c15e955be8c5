import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { selfQuery, statusQuery, useSession } from "@/session/session";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { SectionCard } from "@/ui/SectionCard";
import { failureToast, toast } from "@/ui/toast";
import { changeProfile, mailCode, type ProfileChange } from "./api";

/** Name to show and e-mail address; a new address takes a mailed code where mail is set up. */
export function ProfileForm() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { user } = useSession();
  const { data: status } = useQuery(statusQuery);
  const form = useForm({
    initialValues: {
      display_name: user.display_name,
      email: user.email ?? "",
      verification_code: "",
    },
  });
  const isNewAddress = form.values.email.trim() !== (user.email ?? "");
  const needsCode =
    isNewAddress && form.values.email.trim() !== "" && status?.email_verification === true;
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ display_name, email, verification_code }) => {
      const change: ProfileChange = { display_name };
      if (isNewAddress) {
        change.email = email.trim() === "" ? null : email.trim();
        change.verification_code = needsCode ? verification_code.trim() : null;
      }
      return changeProfile(change);
    },
    (changed) => {
      client.setQueryData(selfQuery.queryKey, changed);
      form.setFieldValue("verification_code", "");
      toast(t("account.saved"));
    },
  );
  const send = useMutation({
    mutationFn: () => mailCode(form.values.email.trim()),
    onSuccess: () => toast(t("account.codeMailed")),
    onError: failureToast,
  });
  return (
    <SectionCard title={t("account.profile")}>
      <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md" maw={480}>
          <TextInput
            label={t("account.username")}
            description={t("account.usernameText")}
            value={user.username}
            readOnly
            variant="filled"
          />
          <TextInput
            label={t("account.displayName")}
            autoComplete="name"
            {...form.getInputProps("display_name")}
          />
          <TextInput
            label={t("account.email")}
            type="email"
            autoComplete="email"
            {...form.getInputProps("email")}
          />
          {needsCode && (
            <Group align="flex-end" gap="xs">
              <TextInput
                flex={1}
                label={t("account.emailCode")}
                autoComplete="one-time-code"
                {...form.getInputProps("verification_code")}
              />
              <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
                {t("account.mailCode")}
              </Button>
            </Group>
          )}
          <FormFailure failure={failure} />
          <Group>
            <Button type="submit" loading={isBusy}>
              {t("account.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
