import { Box, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { StatusBadge } from "@/ui/StatusBadge";
import classes from "./AttemptTimeline.module.css";
import type { Attempt, Call } from "./api";
import { isGood } from "./callFacts";

/** Every try on one scale of time: waited, connected, first byte, end. */
export function AttemptTimeline({ of }: { of: Call }) {
  const { t } = useTranslation();
  if (of.attempts.length === 0) {
    return <Text size="sm">{t("logs.noAttemptText")}</Text>;
  }
  return (
    <Stack gap="sm" component="ol" className={classes.list}>
      {of.attempts.map((attempt, index) => (
        <Try
          key={`${attempt.started_after_ms} ${attempt.channel_id} ${attempt.key_index}`}
          of={attempt}
          number={index + 1}
          span={Math.max(1, of.total_ms)}
        />
      ))}
    </Stack>
  );
}

function Try({ of, number, span }: { of: Attempt; number: number; span: number }) {
  const { t } = useTranslation();
  const name = of.channel ?? t("logs.channelGone", { id: of.channel_id });
  const outcome = isGood(of) ? t("logs.ok") : String(of.status ?? t("logs.failed"));
  return (
    <Stack gap={4} component="li" className={classes.item}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
          {`${number} · ${name}`}
        </Text>
        <StatusBadge tone={isGood(of) ? "good" : "bad"} label={outcome} />
      </Group>
      <Bar of={of} span={span} />
      <Text size="xs" c="dimmed">
        <Times of={of} />
      </Text>
      {of.error !== null && (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {of.error}
        </Text>
      )}
    </Stack>
  );
}

/** For the eye only: the times stand below in words. */
function Bar({ of, span }: { of: Attempt; span: number }) {
  const percent = (ms: number) => `${Math.min(100, (ms / span) * 100)}%`;
  const connect = of.connect_ms ?? 0;
  const first = of.first_byte_ms ?? of.total_ms;
  return (
    <Box className={classes.track} aria-hidden>
      <Box w={percent(of.started_after_ms)} />
      <Box className={classes.connect} w={percent(connect)} />
      <Box className={classes.wait} w={percent(Math.max(0, first - connect))} />
      <Box className={classes.reply} w={percent(Math.max(0, of.total_ms - first))} />
    </Box>
  );
}

function Times({ of }: { of: Attempt }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language, {
    style: "unit",
    unit: "millisecond",
    unitDisplay: "short",
  });
  const parts = [
    t("logs.began", { time: number.format(of.started_after_ms) }),
    // What was not measured is not said.
    ...(of.connect_ms === null
      ? []
      : [t("logs.connected", { time: number.format(of.connect_ms) })]),
    of.first_byte_ms === null
      ? t("logs.noFirstByte")
      : t("logs.firstByteAfter", { time: number.format(of.first_byte_ms) }),
    t("logs.endedAfter", { time: number.format(of.total_ms) }),
    ...(of.key_index === null ? [] : [t("logs.upstreamKey", { index: of.key_index + 1 })]),
  ];
  return parts.join(" · ");
}
