// How much of the calls a channel gets: its tier, and its part within that.

import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useTranslation } from "react-i18next";

export function PriorityInput(props: NumberInputProps) {
  const { t } = useTranslation();
  return (
    <NumberInput
      label={t("channels.field.priority")}
      description={t("channels.field.priorityText")}
      allowDecimal={false}
      {...props}
    />
  );
}

export function WeightInput(props: NumberInputProps) {
  const { t } = useTranslation();
  return (
    <NumberInput
      label={t("channels.field.weight")}
      description={t("channels.field.weightText")}
      min={0}
      allowDecimal={false}
      {...props}
    />
  );
}
