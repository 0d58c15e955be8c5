import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconUserHeart } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { statusQuery } from "@/session/session";
import { useSubmit } from "@/ui/form/useSubmit";
import { PageHead } from "@/ui/PageHead";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { failureToast, toast } from "@/ui/toast";
import { inviterQuery, mailCode, register } from "./api";
import { PasswordField } from "./PasswordField";
import { ProviderButtons } from "./ProviderButtons";
import { RefusalNotice } from "./RefusalNotice";
import { useEnter } from "./useEnter";
import { useRefusal } from "./useRefusal";

const LEAST_LENGTH = 8;

/** A new account, invited or not. */
export function RegisterPage({ invite }: { invite: string | undefined }) {
  const { t } = useTranslation();
  const { data: status } = useQuery(statusQuery);
  const form = useForm({
    initialValues: {
      username: "",
      password: "",
      email: "",
      verification_code: "",
      aff_code: invite ?? "",
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ email, verification_code, aff_code, ...rest }) =>
      register({
        ...rest,
        email: email || null,
        verification_code: verification_code || null,
        aff_code: aff_code || null,
      }),
    useEnter(undefined),
  );
  const refusal = useRefusal(failure);
  if (status?.registration === false) {
    return <Closed />;
  }
  return (
    <Stack gap="lg">
      <PageHead title={t("signin.register.title")} description={t("signin.register.text")} />
      {invite !== undefined && <Invitation code={invite} />}
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md">
          <TextInput
            label={t("session.username")}
            autoComplete="username"
            required
            withAsterisk={false}
            {...form.getInputProps("username")}
          />
          <PasswordField
            least={status?.password_length ?? LEAST_LENGTH}
            {...form.getInputProps("password")}
          />
          {status?.email_verification === true && <VerifiedAddress form={form} />}
          <TextInput
            label={t(
              status?.invite_only === true
                ? "signin.register.inviteNeeded"
                : "signin.register.invite",
            )}
            description={t("signin.register.inviteText")}
            autoComplete="off"
            required={status?.invite_only === true}
            withAsterisk={false}
            {...form.getInputProps("aff_code")}
          />
          <RefusalNotice refusal={refusal} />
          <Button type="submit" loading={isBusy} disabled={refusal.lockedFor > 0}>
            {t("signin.register.action")}
          </Button>
        </Stack>
      </form>
      <ProviderButtons invite={invite} />
      <RouterAnchor to="/login" size="sm">
        {t("signin.toLogin")}
      </RouterAnchor>
    </Stack>
  );
}

function Closed() {
  const { t } = useTranslation();
  return (
    <Stack gap="lg">
      <PageHead title={t("signin.register.title")} description={t("signin.register.closed")} />
      <RouterAnchor to="/login">{t("signin.toLogin")}</RouterAnchor>
    </Stack>
  );
}

/** Who invited the visitor; nothing while that is unknown, and nothing for a code of nobody. */
function Invitation({ code }: { code: string }) {
  const { t } = useTranslation();
  const { data: inviter } = useQuery(inviterQuery(code));
  return inviter === undefined ? null : (
    <Alert variant="light" icon={<IconUserHeart />} role="note">
      {t("signin.register.invitedBy", { name: inviter.display_name })}
    </Alert>
  );
}

interface AddressForm {
  getInputProps: (name: "email" | "verification_code") => object;
  getValues: () => { email: string };
}

/** The address and the code that was mailed to it. */
function VerifiedAddress({ form }: { form: AddressForm }) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await mailCode(form.getValues().email);
      toast(t("signin.register.mailed"));
    } catch (error) {
      failureToast(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Group align="flex-end" wrap="nowrap" gap="xs">
        <TextInput
          type="email"
          label={t("signin.email")}
          autoComplete="email"
          required
          withAsterisk={false}
          style={{ flex: 1 }}
          {...form.getInputProps("email")}
        />
        <Button variant="default" loading={isBusy} onClick={() => void send()}>
          {t("signin.register.mailCode")}
        </Button>
      </Group>
      <TextInput
        label={t("signin.register.mailedCode")}
        autoComplete="one-time-code"
        required
        withAsterisk={false}
        {...form.getInputProps("verification_code")}
      />
    </>
  );
}
