import { useTranslation } from "react-i18next";
import { Unknown } from "./Money";

export interface CountProps {
  value: number | null | undefined;
  /** Intl's own choices, for example `{ notation: "compact" }` or `{ style: "percent" }`. */
  format?: Intl.NumberFormatOptions;
  reason?: string;
}

/** A number by the reader's customs; the whole one on hover; unknown is a dash. */
export function Count({ value, format, reason }: CountProps) {
  const { i18n } = useTranslation();
  if (value === null || value === undefined) {
    return <Unknown {...(reason === undefined ? {} : { reason })} />;
  }
  return (
    <span
      style={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}
      title={new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 6 }).format(value)}
    >
      {new Intl.NumberFormat(i18n.language, format).format(value)}
    </span>
  );
}
