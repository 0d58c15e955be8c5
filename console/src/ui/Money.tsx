import { Text, type TextProps } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatUsd } from "@/lib/money";

export interface MoneyProps extends TextProps {
  /** Decimal dollars as the interface writes them; absent where unknown. */
  usd: string | null | undefined;
}

/** An amount as people read it, with the exact stored one on hover; unknown is a dash. */
export function Money({ usd, ...text }: MoneyProps) {
  const { t, i18n } = useTranslation();
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
      {formatUsd(usd, i18n.language)}
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
