import { Alert, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconMailCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { statusQuery } from "@/session/session";
import { useSubmit } from "@/ui/form/useSubmit";
import { PageHead } from "@/ui/PageHead";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { mailResetLink } from "./api";
import { RefusalNotice } from "./RefusalNotice";
import { useRefusal } from "./useRefusal";

/** Asks for a link by mail; says the same whether or not the address is known. */
export function ForgotPage() {
  const { t } = useTranslation();
  const { data: status } = useQuery(statusQuery);
  const [isSent, setSent] = useState(false);
  const form = useForm({ initialValues: { email: "" } });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ email }) => mailResetLink(email),
    () => setSent(true),
  );
  const refusal = useRefusal(failure);
  return (
    <Stack gap="lg">
      <PageHead title={t("signin.forgotten.title")} description={t("signin.forgotten.text")} />
      {status?.email_verification === false && <Text>{t("signin.forgotten.noMail")}</Text>}
      {status?.email_verification === true && !isSent && (
        <form onSubmit={form.onSubmit((values) => void submit(values))}>
          <Stack gap="md">
            <TextInput
              type="email"
              label={t("signin.email")}
              autoComplete="email"
              required
              withAsterisk={false}
              {...form.getInputProps("email")}
            />
            <RefusalNotice refusal={refusal} />
            <Button type="submit" loading={isBusy} disabled={refusal.lockedFor > 0}>
              {t("signin.forgotten.action")}
            </Button>
          </Stack>
        </form>
      )}
      {isSent && (
        <Alert color="green" variant="light" icon={<IconMailCheck />} role="status">
          {t("signin.forgotten.sent")}
        </Alert>
      )}
      <RouterAnchor to="/login" size="sm">
        {t("signin.toLogin")}
      </RouterAnchor>
    </Stack>
  );
}
