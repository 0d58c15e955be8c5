import { Button, Group, Radio, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatUsd } from "@/lib/money";
import { selfQuery, statusQuery, useSession } from "@/session/session";
import { DollarInput } from "@/ui/form/DollarInput";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { LaterTexts } from "@/ui/LaterTexts";
import { SectionCard } from "@/ui/SectionCard";
import { toast } from "@/ui/toast";
import { changeProfile } from "./api";
import { CHOICES, isAmount, lowBalanceOf, lowBalanceUsd } from "./lowBalance";

/** When to get a mail about one's balance; nothing where no mail is sent, or nobody looks at wallets. */
export function LowBalance() {
  const { data: status } = useQuery(statusQuery);
  const byDefault = status?.low_balance_usd;
  if (typeof byDefault !== "string" || status?.mode === "personal") {
    return null;
  }
  return (
    <LaterTexts>
      <LowBalanceForm byDefault={byDefault} />
    </LaterTexts>
  );
}

function LowBalanceForm({ byDefault }: { byDefault: string }) {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const { user } = useSession();
  const form = useForm({
    initialValues: lowBalanceOf(user.low_balance_usd ?? null),
    validate: {
      amount: (amount, { choice }) =>
        choice !== "own" || isAmount(amount) ? null : t("account.lowBalanceBad"),
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    (values) => changeProfile({ low_balance_usd: lowBalanceUsd(values) }),
    (changed) => {
      client.setQueryData(selfQuery.queryKey, changed);
      form.setValues(lowBalanceOf(changed.low_balance_usd ?? null));
      toast(t("account.saved"));
    },
  );
  const amount = formatUsd(byDefault, i18n.language);
  const texts = {
    default:
      byDefault === "0"
        ? t("account.lowBalanceDefaultNever")
        : t("account.lowBalanceDefault", { amount }),
    own: t("account.lowBalanceOwn"),
    never: t("account.lowBalanceNever"),
  };
  return (
    <SectionCard title={t("account.lowBalance")} text={t("account.lowBalanceText")}>
      <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md" maw={480}>
          {(user.email ?? "") === "" && <Text size="sm">{t("account.lowBalanceNoAddress")}</Text>}
          <Radio.Group label={t("account.lowBalanceWhen")} {...form.getInputProps("choice")}>
            <Stack gap="xs" mt="xs">
              {CHOICES.map((choice) => (
                <Radio key={choice} value={choice} label={texts[choice]} />
              ))}
            </Stack>
          </Radio.Group>
          {form.values.choice === "own" && (
            <DollarInput
              label={t("account.lowBalanceAmount")}
              maw={200}
              {...form.getInputProps("amount")}
            />
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
