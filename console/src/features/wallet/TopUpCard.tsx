import { Button, Group, Paper, Radio, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatUsd, nanosOf } from "@/lib/money";
import { DataRegion } from "@/ui/DataRegion";
import { DollarInput } from "@/ui/form/DollarInput";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { orderCredit, type TopUpInfo, topUpInfoQuery } from "./api";

const SKELETON_HEIGHT = 220;
/** Whole cents, as the interface wants them. */
const AMOUNT = /^\d+(\.\d{1,2})?$/;

/** How much, by whom, and on to the provider's checkout. */
export function TopUpCard() {
  const { t } = useTranslation();
  const info = useQuery(topUpInfoQuery);
  return (
    <Paper withBorder p="lg" component="section" aria-label={t("wallet.topUp")}>
      <Stack gap="md">
        <Title order={2} size="h4">
          {t("wallet.topUp")}
        </Title>
        <DataRegion
          query={info}
          skeletonHeight={SKELETON_HEIGHT}
          isEmpty={({ enabled }) => !enabled}
          emptyFirst={
            <Text size="sm" c="dimmed">
              {t("wallet.noProvider")}
            </Text>
          }
        >
          {(known) => <TopUpForm info={known} />}
        </DataRegion>
      </Stack>
    </Paper>
  );
}

function TopUpForm({ info }: { info: TopUpInfo }) {
  const { t, i18n } = useTranslation();
  const dollars = (usd: string) => formatUsd(usd, i18n.language);
  const range = {
    least: dollars(info.minimum_usd),
    most: dollars(info.maximum_usd),
  };
  const form = useForm({
    initialValues: {
      amount: info.amounts_usd[0] ?? info.minimum_usd,
      provider: info.providers[0]?.id ?? "",
    },
    validate: {
      amount: (amount) => (isOrderable(amount, info) ? null : t("wallet.badAmount", range)),
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ amount, provider }) => orderCredit(amount.trim(), provider),
    ({ checkout_url }) => window.location.assign(checkout_url),
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <DollarInput
          label={t("wallet.amount")}
          description={t("wallet.amountRange", range)}
          {...form.getInputProps("amount")}
        />
        <Group gap="xs">
          {info.amounts_usd.map((usd) => (
            <Button
              key={usd}
              size="xs"
              variant={form.values.amount === usd ? "light" : "default"}
              aria-pressed={form.values.amount === usd}
              onClick={() => form.setFieldValue("amount", usd)}
            >
              {dollars(usd)}
            </Button>
          ))}
        </Group>
        <Radio.Group label={t("wallet.method")} {...form.getInputProps("provider")}>
          <Stack gap="xs" mt="xs">
            {info.providers.map(({ id, label, currency, per_usd }) => (
              <Radio
                key={id}
                value={id}
                label={label}
                description={
                  currency !== info.currency &&
                  isOrderable(form.values.amount, info) &&
                  formatUsd(form.values.amount.trim(), i18n.language, {
                    code: currency.toUpperCase(),
                    rate: per_usd,
                  })
                }
              />
            ))}
          </Stack>
        </Radio.Group>
        <FormFailure failure={failure} />
        {failure !== undefined && info.providers.length > 1 && (
          <Text size="sm">{t("wallet.tryOtherMethod")}</Text>
        )}
        <Button type="submit" loading={isBusy}>
          {t("wallet.toCheckout")}
        </Button>
      </Stack>
    </form>
  );
}

function isOrderable(amount: string, info: TopUpInfo): boolean {
  if (!AMOUNT.test(amount.trim())) {
    return false;
  }
  const nanos = nanosOf(amount);
  return nanos >= nanosOf(info.minimum_usd) && nanos <= nanosOf(info.maximum_usd);
}
