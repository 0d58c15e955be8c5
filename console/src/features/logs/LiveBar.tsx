import { Button, Group, Paper, Text } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";
import type { LiveTail, TailState } from "./useTail";

const STATES = {
  connecting: { tone: "busy", text: "logs.live.connecting" },
  live: { tone: "good", text: "logs.live.on" },
  interrupted: { tone: "warning", text: "logs.live.interrupted" },
  ended: { tone: "bad", text: "logs.live.ended" },
} as const satisfies Record<TailState, { tone: Tone; text: string }>;

/** Above the rows while they stream in: its state, pause, and how many wait. */
export function LiveBar({ tail }: { tail: LiveTail }) {
  const { t } = useTranslation();
  const { tone, text } = tail.isPaused
    ? ({ tone: "idle", text: "logs.live.paused" } as const)
    : STATES[tail.state];
  const count = tail.waiting.length;
  return (
    <Paper withBorder px="md" py="xs" role="region" aria-label={t("logs.live")}>
      <Group gap="md">
        <StatusBadge tone={tone} label={t(text)} />
        <Button
          size="xs"
          variant="default"
          leftSection={tail.isPaused ? <IconPlayerPlay size={15} /> : <IconPlayerPause size={15} />}
          onClick={() => tail.setPaused(!tail.isPaused)}
        >
          {t(tail.isPaused ? "logs.live.resume" : "logs.live.pause")}
        </Button>
        <Text size="sm" fw={600} aria-live="polite">
          {count === 0 ? "" : t("logs.live.new", { count })}
        </Text>
        <Text size="sm" c="dimmed" ms="auto">
          {t("logs.live.text")}
        </Text>
      </Group>
    </Paper>
  );
}
