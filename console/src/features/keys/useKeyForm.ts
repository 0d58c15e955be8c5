// The form of a key with its checks in the reader's language.

import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { isAmount, type KeyValues, wrongNetworkLine } from "./keyForm";

export type KeyForm = ReturnType<typeof useKeyForm>;

export function useKeyForm(initialValues: KeyValues) {
  const { t } = useTranslation();
  const amount = (text: string) => (isAmount(text) ? null : t("keys.amountWrong"));
  return useForm<KeyValues>({
    initialValues,
    // Not the name: whoever has not come to it yet is not told that it is missing.
    validateInputOnBlur: [
      "budget_total_usd",
      "budget_daily_usd",
      "budget_weekly_usd",
      "budget_monthly_usd",
      "cidrs",
    ],
    validate: {
      name: (text) => (text.trim() === "" ? t("keys.nameMissing") : null),
      budget_total_usd: amount,
      budget_daily_usd: amount,
      budget_weekly_usd: amount,
      budget_monthly_usd: amount,
      cidrs: (text) => {
        const line = wrongNetworkLine(text);
        return line === undefined ? null : t("keys.networkWrong", { line });
      },
      expires_at: (text, { expiry }) =>
        expiry === "custom" && Number.isNaN(Date.parse(text)) ? t("keys.expiryMissing") : null,
    },
  });
}
