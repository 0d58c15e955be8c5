import { Timeline as Line, Text } from "@mantine/core";
import {
  IconArrowsUpDown,
  IconBell,
  IconCheck,
  IconEye,
  IconFlame,
  IconMessage,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRepeat,
  IconRobot,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { eventText } from "@/said/event";
import { SectionCard } from "@/ui/SectionCard";
import { Time } from "@/ui/Time";
import type { Incident, IncidentEvent } from "./api";
import { EVENT_TEXT, type EventKind, isEventKind } from "./words";

const ICONS = {
  opened: IconFlame,
  notified: IconBell,
  notify_failed: IconBell,
  acknowledged: IconEye,
  note: IconMessage,
  drained: IconPlayerPause,
  stopped: IconPlayerStop,
  resumed: IconPlayerPlay,
  reordered: IconArrowsUpDown,
  attempts_raised: IconRepeat,
  paused: IconRobot,
  unpaused: IconRobot,
  recovered: IconCheck,
  resolved: IconCheck,
} as const satisfies Record<EventKind, unknown>;

export interface TimelineProps {
  incident: Incident;
  events: readonly IncidentEvent[];
  /** Below the last entry. */
  children: ReactNode;
}

/** What happened, in order: what the gateway saw and did, and what people did. */
export function Timeline({ incident, events, children }: TimelineProps) {
  const { t } = useTranslation();
  return (
    <SectionCard title={t("incidents.timeline")}>
      <Line bulletSize={24} lineWidth={2} active={events.length}>
        {events.map((event) => (
          <Entry key={event.id} event={event} incident={incident} />
        ))}
      </Line>
      {children}
    </SectionCard>
  );
}

/** What the gateway did to a channel without being asked. */
function isByItself(kind: EventKind | undefined): boolean {
  return kind === "paused" || kind === "unpaused";
}

function Entry({ event, incident }: { event: IncidentEvent; incident: Incident }) {
  const { t, i18n } = useTranslation();
  const text = eventText(t, i18n.language, event, incident);
  const kind = isEventKind(event.kind) ? event.kind : undefined;
  const Icon = kind === undefined ? IconMessage : ICONS[kind];
  return (
    <Line.Item
      bullet={<Icon size={14} />}
      title={
        <Text size="sm" fw={600} span>
          {kind === undefined ? event.kind : t(EVENT_TEXT[kind])}
        </Text>
      }
    >
      {text !== "" && (
        <Text size="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-line" }}>
          {text}
        </Text>
      )}
      <Text size="xs" c="dimmed" component="div">
        <Time at={event.at} precision="second" />
        {event.actor ? ` · ${event.actor}` : ""}
        {isByItself(kind) ? ` · ${t("incidents.byGateway")}` : ""}
      </Text>
    </Line.Item>
  );
}
