import { Badge, Code, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RealtimeEvent } from "../send/realtime";
import { useNumbers } from "../ui/numbers";

/** Every event of the session; a click shows the whole of it. */
export function RealtimeEvents({ events }: { events: readonly RealtimeEvent[] }) {
  const { t } = useTranslation();
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {t("playground.realtime.events")}
      </Text>
      <Stack
        component="ul"
        gap={2}
        p={0}
        m={0}
        style={{ listStyle: "none" }}
        aria-label={t("playground.realtime.events")}
      >
        {events.map((event) => (
          <EventLine key={event.id} event={event} />
        ))}
      </Stack>
    </Stack>
  );
}

function EventLine({ event }: { event: RealtimeEvent }) {
  const { t } = useTranslation();
  const { seconds } = useNumbers();
  const [isOpen, setOpen] = useState(false);
  const isSent = event.direction === "sent";
  return (
    <li>
      <UnstyledButton onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
        <Group gap="xs" wrap="nowrap">
          <Badge size="sm" variant="default" miw={76}>
            {t(isSent ? "playground.realtime.sent" : "playground.realtime.received")}
          </Badge>
          <Text size="xs" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {event.type}
          </Text>
          <Text size="xs" c="dimmed">
            {seconds(event.atMs)}
          </Text>
        </Group>
      </UnstyledButton>
      {isOpen && (
        <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {JSON.stringify(event.data, null, 2)}
        </Code>
      )}
    </li>
  );
}
