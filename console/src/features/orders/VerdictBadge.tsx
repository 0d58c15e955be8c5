import { useTranslation } from "react-i18next";
import { StatusBadge } from "@/ui/StatusBadge";
import type { Delivery } from "./api";
import { toneOf, VERDICT_TEXT, verdictOf } from "./verdicts";

/** What came of a delivery. */
export function VerdictBadge({ delivery }: { delivery: Pick<Delivery, "verdict" | "refused"> }) {
  const { t } = useTranslation();
  const known = verdictOf(delivery.verdict);
  const label = known === undefined ? delivery.verdict : t(VERDICT_TEXT[known]);
  return (
    <StatusBadge
      tone={toneOf(delivery.verdict, delivery.refused)}
      label={label ?? t("orders.notActedOn")}
    />
  );
}
