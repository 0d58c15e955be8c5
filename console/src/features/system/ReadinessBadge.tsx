import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readinessQuery } from "./api";

/** Ready or not, in a word; nothing while that is unknown. */
export function ReadinessBadge() {
  const { t } = useTranslation();
  const { data, error } = useQuery(readinessQuery);
  if (data === undefined || error !== null) {
    return null;
  }
  return (
    <Badge size="lg" variant="dot" color={data.isReady ? "green" : "orange"} role="status">
      {t(data.isReady ? "system.ready" : "system.notReady")}
    </Badge>
  );
}
