import { Text, type TextProps } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatUsd } from "@/lib/money";
import { statusQuery } from "@/session/session";

export interface MoneyProps extends TextProps {
  /** Decimal dollars as the interface writes them; absent where unknown. */
  usd: string | null | undefined;
}

/** An amount as people read it, with the exact stored one on hover; unknown is a dash. */
export function Money({ usd, ...text }: MoneyProps) {
  const { t, i18n } = useTranslation();
  // Read before any page that shows money; hundreds of amounts need not subscribe to it.
  const currency = useQueryClient().getQueryData(statusQuery.queryKey)?.display_currency;
  if (usd === null || usd === undefined) {
    return <Unknown />;
  }
  return (
    <Text
      span
      inherit
      style={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}
      title={t("ui.exactUsd", { usd })}
      {...text}
    >
      {formatUsd(usd, i18n.language, currency)}
    </Text>
  );
}

/** What stands where a value is unknown; the reason on hover where there is one. */
export function Unknown({ reason }: { reason?: string }) {
  const { t } = useTranslation();
  return (
    <Text span inherit c="dimmed" title={reason ?? t("ui.unknown")}>
      {"—"}
    </Text>
  );
}
