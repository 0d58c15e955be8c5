// An administrator's price for a model, from now or a later time on. The former one stays in the history.

import { Accordion, Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { toast } from "@/ui/toast";
import { setPrice } from "./api";
import { isDecimal, RATES, type Rate, rateOf, withRates } from "./prices";
import { RATE_TEXT } from "./rateText";

/** What nearly every price has; the others are folded away unless they are set. */
const COMMON: readonly Rate[] = ["input", "output", "cache_read"];

type Values = Record<Rate | "effective_from", string>;

export function PriceForm({ model, prices }: { model: string; prices: unknown }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const before = Object.fromEntries(
    RATES.map((rate) => [rate, rateOf(prices, rate) ?? ""]),
  ) as Record<Rate, string>;
  const check = (value: string) =>
    value === "" || isDecimal(value) ? null : t("models.notDecimal");
  const form = useForm<Values>({
    initialValues: { ...before, effective_from: "" },
    validate: Object.fromEntries(RATES.map((rate) => [rate, check])),
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ effective_from, ...rates }) =>
      setPrice(
        model,
        withRates(prices, rates),
        effective_from === "" ? null : new Date(effective_from).toISOString(),
      ),
    () => {
      toast(t("models.saved", { model }));
      void client.invalidateQueries({ queryKey: ["models"] });
    },
  );
  const shown = RATES.filter((rate) => COMMON.includes(rate) || before[rate] !== "");
  const folded = RATES.filter((rate) => !shown.includes(rate));
  const field = (rate: Rate) => (
    <TextInput
      key={rate}
      label={t(RATE_TEXT[rate])}
      inputMode="decimal"
      {...form.getInputProps(rate)}
    />
  );
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <div>
          <Title order={3} size="h5">
            {t("models.set")}
          </Title>
          <Text size="sm" c="dimmed">
            {t("models.setText")}
          </Text>
        </div>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>{shown.map(field)}</SimpleGrid>
        <Accordion variant="contained">
          <Accordion.Item value="more">
            <Accordion.Control>{t("models.moreRates")}</Accordion.Control>
            <Accordion.Panel>
              <SimpleGrid cols={{ base: 1, sm: 3 }}>{folded.map(field)}</SimpleGrid>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        <TextInput
          type="datetime-local"
          label={t("models.from")}
          description={t("models.fromText")}
          {...form.getInputProps("effective_from")}
        />
        <FormFailure failure={failure} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={!form.isDirty()}>
            {t("models.save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
