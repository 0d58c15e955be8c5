// A step of a channel's test: how it went, how long it took and what there is to say about it.

import { Group, List, Text, ThemeIcon } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconMinus, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";
import { stepText } from "@/said/step";
import { useLaterTexts } from "@/ui/useLaterTexts";

export type StepReport = Schema<"TestStep">;
export type StepName = StepReport["step"];
type Outcome = StepReport["outcome"];

export const STEP_TEXT = {
  resolve: "channels.step.resolve",
  connect: "channels.step.connect",
  tls: "channels.step.tls",
  authenticate: "channels.step.authenticate",
  list_models: "channels.step.list_models",
  reply: "channels.step.reply",
  stream: "channels.step.stream",
  cost: "channels.step.cost",
} as const satisfies Record<StepName, string>;

const OUTCOME = {
  ok: { text: "channels.outcome.ok", color: "green", icon: IconCheck },
  warning: { text: "channels.outcome.warning", color: "yellow", icon: IconAlertTriangle },
  failed: { text: "channels.outcome.failed", color: "red", icon: IconX },
  skipped: { text: "channels.outcome.skipped", color: "gray", icon: IconMinus },
} as const satisfies Record<Outcome, unknown>;

export function TestStepItem({ report }: { report: StepReport }) {
  const { t, i18n } = useTranslation();
  const hasTexts = useLaterTexts() === "success";
  const text = hasTexts ? stepText(t, i18n.language, report) : report.detail;
  const { color, icon: Icon, text: outcome } = OUTCOME[report.outcome];
  return (
    <List.Item
      icon={
        <ThemeIcon size={22} radius="xl" variant="light" color={color}>
          <Icon size={14} />
        </ThemeIcon>
      }
      styles={{ itemWrapper: { alignItems: "flex-start" }, itemLabel: { minWidth: 0, flex: 1 } }}
    >
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {t(STEP_TEXT[report.step])}
        </Text>
        <Text size="sm" c="dimmed">
          {report.outcome === "ok"
            ? t("channels.test.took", { count: report.took_ms })
            : t(outcome)}
        </Text>
      </Group>
      {text !== "" && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {text}
        </Text>
      )}
    </List.Item>
  );
}
