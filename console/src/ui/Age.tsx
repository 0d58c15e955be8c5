import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/lib/duration";

const TICK_MS = 1_000;

/** How long ago a moment was, counting on while it is shown; the exact time on hover. */
export function Age({ of }: { of: number }) {
  const { t, i18n } = useTranslation();
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), TICK_MS, { autoInvoke: true });
  const seconds = Math.max(0, (now - of) / 1_000);
  return (
    <time dateTime={new Date(of).toISOString()} title={new Date(of).toISOString()}>
      {t("region.age", { duration: formatDuration(seconds, i18n.language) })}
    </time>
  );
}
