// Figures of the playground by the reader's customs.

import { useTranslation } from "react-i18next";

export interface Numbers {
  /** Milliseconds below a second, seconds with one decimal above. */
  seconds: (milliseconds: number) => string;
  count: (value: number) => string;
  /** With so many digits after the point. */
  decimal: (value: number, digits: number) => string;
}

export function useNumbers(): Numbers {
  const { language } = useTranslation().i18n;
  const format = (value: number, options?: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(language, options).format(value);
  return {
    seconds: (milliseconds) =>
      milliseconds < 1_000
        ? format(Math.round(milliseconds), {
            style: "unit",
            unit: "millisecond",
            unitDisplay: "short",
          })
        : format(milliseconds / 1_000, {
            style: "unit",
            unit: "second",
            unitDisplay: "short",
            maximumFractionDigits: 1,
          }),
    count: (value) => format(value),
    decimal: (value, digits) =>
      format(value, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  };
}
