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

/** A moment in the reader's time zone, with UTC on hover. */
export function Time({ at, precision = "minute", reason }: TimeProps) {
  const { i18n } = useTranslation();
  if (at === null || at === undefined) {
    return <Unknown {...(reason === undefined ? {} : { reason })} />;
  }
  const moment = new Date(at);
  const format = new Intl.DateTimeFormat(i18n.language, {
    dateStyle: "medium",
    ...(precision === "day" ? {} : { timeStyle: precision === "second" ? "medium" : "short" }),
  });
  return (
    <time
      dateTime={moment.toISOString()}
      title={moment.toISOString()}
      style={{ whiteSpace: "nowrap", fontVariantNumeric: "tabular-nums" }}
    >
      {format.format(moment)}
    </time>
  );
}
