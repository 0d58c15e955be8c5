import { useTranslation } from "react-i18next";
import { Unknown } from "./Money";

export interface TimeProps {
  /** RFC 3339 text; absent where it never happened. */
  at: string | null | undefined;
  /** `minute` (default) leaves seconds out; `day` leaves the time out. */
  precision?: "second" | "minute" | "day";
  /** Why there is none, for the dash. */
  reason?: string;
}

const DAY = { month: "short", day: "numeric" } as const;
const TIME = {
  day: {},
  minute: { hour: "numeric", minute: "2-digit" },
  second: { hour: "numeric", minute: "2-digit", second: "2-digit" },
} as const;

/** A moment in the reader's time zone, with UTC on hover; the present year goes without saying. */
export function Time({ at, precision = "minute", reason }: TimeProps) {
  const { i18n } = useTranslation();
  if (at === null || at === undefined) {
    return <Unknown {...(reason === undefined ? {} : { reason })} />;
  }
  const moment = new Date(at);
  const isThisYear = moment.getFullYear() === new Date().getFullYear();
  const format = new Intl.DateTimeFormat(i18n.language, {
    ...DAY,
    ...(isThisYear ? {} : { year: "numeric" }),
    ...TIME[precision],
  });
  return (
    <time
      dateTime={moment.toISOString()}
      title={moment.toISOString()}
      style={{ whiteSpace: "var(--time-wrap, nowrap)", fontVariantNumeric: "tabular-nums" }}
    >
      {format.format(moment)}
    </time>
  );
}
