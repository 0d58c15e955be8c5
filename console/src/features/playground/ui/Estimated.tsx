import { Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatUsd } from "@/lib/money";
import type { Estimate } from "../model/models";
import { useNumbers } from "./numbers";

/** What the next call may read and cost, marked as the guess that it is. */
export function Estimated({ estimate }: { estimate: Estimate | undefined }) {
  const { t, i18n } = useTranslation();
  const { count } = useNumbers();
  if (estimate === undefined || estimate.tokens === 0) {
    return null;
  }
  const { tokens, least, most } = estimate;
  const money = (usd: string) => formatUsd(usd, i18n.language);
  const range =
    most === undefined || least === undefined ? undefined : `${money(least)} – ${money(most)}`;
  const cost =
    range ??
    (least === undefined ? undefined : t("playground.estimate.from", { usd: money(least) }));
  return (
    <Tooltip label={t("playground.estimate.how")} multiline w={260}>
      <Text size="xs" c="dimmed" truncate="end">
        {t("playground.estimate.tokens", { count: tokens, shown: count(tokens) })}
        {cost === undefined ? "" : ` · ${cost}`}
      </Text>
    </Tooltip>
  );
}
