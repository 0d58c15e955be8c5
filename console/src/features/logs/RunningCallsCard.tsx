import { Group, Paper, Stack, Text } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RunningCall, RunningCalls } from "@/api/callStream";
import { formatDuration } from "@/lib/duration";
import { StatusBadge } from "@/ui/StatusBadge";
import type { Scope } from "./api";

const TICK_MS = 1_000;
const LIST_HEIGHT = 116;

/** Calls that have not ended yet, above those that have: the oldest first. */
export function RunningCallsCard({ running, scope }: { running: RunningCalls; scope: Scope }) {
  const { t } = useTranslation();
  const { calls, more } = running;
  return (
    <Paper withBorder px="md" py="xs" component="section" aria-label={t("logs.running")}>
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          {t("logs.running.count", { count: calls.length + more })}
        </Text>
        {/* Always as high, so that the rows below do not move when a call begins or ends. */}
        <Stack
          component="ul"
          gap={6}
          m={0}
          p={0}
          h={LIST_HEIGHT}
          style={{ listStyle: "none", overflowY: "auto" }}
          // What scrolls must be reachable by keyboard.
          tabIndex={0}
          aria-label={t("logs.running")}
        >
          {calls.map((call) => (
            <RunningLine key={call.request_id} call={call} scope={scope} />
          ))}
          {more > 0 && (
            <Text component="li" size="xs" c="dimmed">
              {t("logs.running.more", { count: more })}
            </Text>
          )}
        </Stack>
      </Stack>
    </Paper>
  );
}

function RunningLine({ call, scope }: { call: RunningCall; scope: Scope }) {
  const { t } = useTranslation();
  const about = [
    call.endpoint,
    call.token_name ?? `#${call.token_id}`,
    ...(scope === "all" ? [call.username ?? `#${call.user_id}`] : []),
    ...(call.tries > 1 ? [t("logs.running.tries", { count: call.tries })] : []),
  ];
  return (
    <Group component="li" gap="sm" justify="space-between" title={call.request_id}>
      <Group gap="sm" miw={0}>
        <StatusBadge
          tone={call.is_answering ? "busy" : "idle"}
          label={t(call.is_answering ? "logs.running.answering" : "logs.running.waiting")}
        />
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          <bdi>{call.model}</bdi>
          {call.channel !== null && (
            <Text span size="sm" c="dimmed">
              {" → "}
              <bdi>{call.channel}</bdi>
            </Text>
          )}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {about.join(" · ")}
        </Text>
      </Group>
      <Elapsed since={Date.parse(call.began_at)} />
    </Group>
  );
}

function Elapsed({ since }: { since: number }) {
  const { i18n } = useTranslation();
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), TICK_MS, { autoInvoke: true });
  return (
    <Text size="sm" style={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
      {formatDuration((now - since) / 1_000, i18n.language)}
    </Text>
  );
}
