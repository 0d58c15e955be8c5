import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readinessQuery } from "./api";

const STATE_TEXT = {
  ready: "system.ready",
  stopping: "system.stopping",
  databaseUnreachable: "system.notReady",
  databaseSlow: "system.notReady",
  notReady: "system.notReady",
} as const;

/** Ready or not, in a word; nothing while that is unknown. */
export function ReadinessBadge() {
  const { t } = useTranslation();
  const { data, error } = useQuery(readinessQuery);
  if (data === undefined || error !== null) {
    return null;
  }
  return (
    <Badge size="lg" variant="dot" color={data === "ready" ? "green" : "orange"} role="status">
      {t(STATE_TEXT[data])}
    </Badge>
  );
}
