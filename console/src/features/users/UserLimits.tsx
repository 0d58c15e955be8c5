import { Button, Group, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DollarInput } from "@/ui/form/DollarInput";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { SectionCard } from "@/ui/SectionCard";
import { toast } from "@/ui/toast";
import { changeUser, USERS, type User, userQuery } from "./api";
import { BUDGETS, isBudget, isRate, limitChange, limitsOf, RATES } from "./limits";

const RATE_TEXT = {
  rpm: "users.limits.rpm",
  tpm: "users.limits.tpm",
  concurrency: "users.limits.concurrency",
} as const;

const BUDGET_TEXT = {
  budget_total_usd: "users.limits.total",
  budget_daily_usd: "users.limits.daily",
  budget_weekly_usd: "users.limits.weekly",
  budget_monthly_usd: "users.limits.monthly",
} as const;

/** Rates and budgets of all of a user's keys together. */
export function UserLimits({ user, canManage }: { user: User; canManage: boolean }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const rate = (text: string) => (isRate(text) ? null : t("users.limits.badRate"));
  const budget = (text: string) => (isBudget(text) ? null : t("users.limits.badBudget"));
  const form = useForm({
    initialValues: limitsOf(user),
    validate: {
      ...Object.fromEntries(RATES.map((field) => [field, rate])),
      ...Object.fromEntries(BUDGETS.map((field) => [field, budget])),
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    (values) => changeUser(limitChange(user, values)),
    (changed) => {
      client.setQueryData(userQuery(user.id).queryKey, changed);
      void client.invalidateQueries({ queryKey: [USERS] });
      form.setValues(limitsOf(changed));
      toast(t("users.saved"));
    },
  );
  const isUnchanged = Object.keys(limitChange(user, form.values)).length === 1;
  const shared = { placeholder: t("users.limits.none"), disabled: !canManage };
  return (
    <SectionCard title={t("users.limits.title")} text={t("users.limits.text")}>
      <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {RATES.map((field) => (
              <TextInput
                key={field}
                label={t(RATE_TEXT[field])}
                inputMode="numeric"
                {...shared}
                {...form.getInputProps(field)}
              />
            ))}
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
            {BUDGETS.map((field) => (
              <DollarInput
                key={field}
                label={t(BUDGET_TEXT[field])}
                {...shared}
                {...form.getInputProps(field)}
              />
            ))}
          </SimpleGrid>
          <FormFailure failure={failure} />
          <Group>
            <Button type="submit" loading={isBusy} disabled={!canManage || isUnchanged}>
              {t("users.limits.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
