import { Alert, Button, Paper, Stack, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconCheck } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isRefusal } from "@/api/failure";
import { formatUsd } from "@/lib/money";
import { useRefreshSession } from "@/session/session";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { type Redeemed, redeemCode } from "./api";

const REFUSAL_TEXT = {
  code_used: "wallet.codeUsed",
  code_expired: "wallet.codeExpired",
  code_disabled: "wallet.codeDisabled",
  code_unknown: "wallet.codeUnknown",
} as const;

type CodeRefusal = keyof typeof REFUSAL_TEXT;

/** Turns a redemption code into balance; each reason for a refusal has a text of its own. */
export function RedeemForm() {
  const { t, i18n } = useTranslation();
  const refresh = useRefreshSession();
  const [redeemed, setRedeemed] = useState<Redeemed>();
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (code) => (code.trim() === "" ? t("wallet.codeMissing") : null) },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ code }) => {
      setRedeemed(undefined);
      return redeemCode(code.trim());
    },
    (answer) => {
      setRedeemed(answer);
      form.reset();
      void refresh();
    },
  );
  const reason = refusalOf(failure);
  return (
    <Paper withBorder p="lg" component="section" aria-label={t("wallet.redeem")}>
      <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md">
          <Title order={2} size="h4">
            {t("wallet.redeem")}
          </Title>
          <TextInput
            label={t("wallet.code")}
            autoComplete="off"
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            {...form.getInputProps("code")}
            error={reason === undefined ? form.errors.code : t(REFUSAL_TEXT[reason])}
          />
          {reason === undefined && <FormFailure failure={failure} />}
          {redeemed !== undefined && (
            <Alert color="green" variant="light" icon={<IconCheck />} role="status">
              {t("wallet.redeemed", {
                credited: formatUsd(redeemed.credited_quota_usd, i18n.language),
                balance: formatUsd(redeemed.quota_usd, i18n.language),
              })}
            </Alert>
          )}
          <Button type="submit" variant="default" loading={isBusy}>
            {t("wallet.redeemAction")}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}

function refusalOf(failure: Error | undefined): CodeRefusal | undefined {
  const codes = Object.keys(REFUSAL_TEXT) as CodeRefusal[];
  return codes.find((code) => isRefusal(failure, code));
}
