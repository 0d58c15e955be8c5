import { Alert, Group, Text } from "@mantine/core";
import { IconFlame } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { incidentWords } from "@/said/incident";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { useLaterTexts } from "@/ui/useLaterTexts";
import classes from "./AppFrame.module.css";
import { useOpenIncidents } from "./openIncidents";

/** The worst open incident above every page, and how many more there are. */
export function IncidentStrip() {
  const { t, i18n } = useTranslation();
  const incidents = useOpenIncidents();
  const worst = incidents.find(({ severity }) => severity === "critical") ?? incidents[0];
  const texts = useLaterTexts(worst !== undefined);
  if (worst === undefined || texts === "pending") {
    return null;
  }
  const { title, summary } = texts === "success" ? incidentWords(t, i18n.language, worst) : worst;
  return (
    <Alert
      role="region"
      aria-label={t("frame.incident")}
      variant="light"
      color={worst.severity === "critical" ? "red" : "yellow"}
      icon={<IconFlame />}
      mb="sm"
      className={classes.strip}
    >
      <Group justify="space-between" gap="md" wrap="nowrap" align="flex-start">
        <Text size="sm" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
          <RouterAnchor
            to="/console/incidents/$id"
            params={{ id: String(worst.id) }}
            inherit
            fw={600}
            c="inherit"
            me="xs"
          >
            {title}
          </RouterAnchor>
          {/* On a phone one word of it and dots would say nothing. */}
          <Text span inherit visibleFrom="xs">
            {summary}
          </Text>
        </Text>
        {incidents.length > 1 && (
          <RouterAnchor
            to="/console/incidents"
            search={{ state: "open" }}
            size="sm"
            c="inherit"
            style={{ whiteSpace: "nowrap" }}
          >
            {t("frame.incidentsMore", { count: incidents.length - 1 })}
          </RouterAnchor>
        )}
      </Group>
    </Alert>
  );
}
