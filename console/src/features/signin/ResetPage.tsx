import { Button, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { statusQuery } from "@/session/session";
import { useSubmit } from "@/ui/form/useSubmit";
import { PageHead } from "@/ui/PageHead";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { toast } from "@/ui/toast";
import { setNewPassword } from "./api";
import { PasswordField } from "./PasswordField";
import { RefusalNotice } from "./RefusalNotice";
import { useRefusal } from "./useRefusal";

const LEAST_LENGTH = 8;

/** Where the mailed link leads: the new password. */
export function ResetPage({ token }: { token: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: status } = useQuery(statusQuery);
  const form = useForm({ initialValues: { password: "" } });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ password }) => setNewPassword(token ?? "", password),
    () => {
      toast(t("signin.reset.done"));
      void navigate({ to: "/login", replace: true });
    },
  );
  const refusal = useRefusal(failure);
  if (token === undefined) {
    return (
      <Stack gap="lg">
        <PageHead title={t("signin.reset.title")} description={t("signin.reset.noToken")} />
        <RouterAnchor to="/forgot">{t("signin.forgotten.action")}</RouterAnchor>
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      <PageHead title={t("signin.reset.title")} description={t("signin.reset.text")} />
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md">
          <PasswordField
            least={status?.password_length ?? LEAST_LENGTH}
            {...form.getInputProps("password")}
          />
          <RefusalNotice refusal={refusal} />
          <Button type="submit" loading={isBusy}>
            {t("signin.reset.action")}
          </Button>
        </Stack>
      </form>
    </Stack>
  );
}
