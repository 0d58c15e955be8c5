import { useTranslation } from "react-i18next";
import { StatusBadge } from "@/ui/StatusBadge";
import type { Incident } from "./api";
import { toneOf } from "./words";

/** Open ones by how bad they are; closed ones say that they are over. */
export function IncidentBadge({ incident }: { incident: Pick<Incident, "state" | "severity"> }) {
  const { t } = useTranslation();
  const open = incident.severity === "critical" ? "incidents.critical" : "incidents.warning";
  const text = incident.state === "closed" ? "incidents.closed" : open;
  return <StatusBadge tone={toneOf(incident)} label={t(text)} />;
}
