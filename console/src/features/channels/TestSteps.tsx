// The steps of a test as they are done, each with its time and what there is to say about it.

import { Alert, Group, List, Loader, Stack, Text, ThemeIcon } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleDashed,
  IconMinus,
  IconX,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import { Money } from "@/ui/Money";
import { type Outcome, STEPS, type StepName, type StepReport, type Verdict } from "./channelTest";
import type { ChannelTest } from "./useChannelTest";

const STEP_TEXT = {
  resolve: "channels.step.resolve",
  connect: "channels.step.connect",
  tls: "channels.step.tls",
  authenticate: "channels.step.authenticate",
  list_models: "channels.step.list_models",
  reply: "channels.step.reply",
  stream: "channels.step.stream",
  cost: "channels.step.cost",
} as const satisfies Record<StepName, string>;

const OUTCOME_TEXT = {
  ok: "channels.outcome.ok",
  warning: "channels.outcome.warning",
  failed: "channels.outcome.failed",
  skipped: "channels.outcome.skipped",
} as const satisfies Record<Outcome, string>;

const OUTCOME_LOOK = {
  ok: { color: "green", icon: IconCheck },
  warning: { color: "yellow", icon: IconAlertTriangle },
  failed: { color: "red", icon: IconX },
  skipped: { color: "gray", icon: IconMinus },
} as const;

export function TestSteps({ test }: { test: ChannelTest }) {
  const { t } = useTranslation();
  const { steps, isRunning, verdict, failure } = test;
  if (steps.length === 0 && !isRunning && failure === undefined) {
    return null;
  }
  const waiting = STEPS.find((step) => !steps.some((report) => report.step === step));
  return (
    <Stack gap="sm">
      <List
        listStyleType="none"
        spacing="xs"
        aria-label={t("channels.test.steps")}
        aria-live="polite"
        aria-busy={isRunning}
      >
        {steps.map((report) => (
          <Step key={report.step} report={report} />
        ))}
        {isRunning && waiting !== undefined && <Pending step={waiting} />}
      </List>
      {verdict !== undefined && <VerdictNotice verdict={verdict} />}
      <FormFailure failure={failure} />
    </Stack>
  );
}

function Step({ report }: { report: StepReport }) {
  const { t } = useTranslation();
  const { color, icon: Icon } = OUTCOME_LOOK[report.outcome];
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
            : t(OUTCOME_TEXT[report.outcome])}
        </Text>
      </Group>
      {report.detail !== "" && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {report.detail}
        </Text>
      )}
    </List.Item>
  );
}

function Pending({ step }: { step: StepName }) {
  const { t } = useTranslation();
  return (
    <List.Item icon={<Loader size={18} aria-hidden />}>
      <Text size="sm">{t(STEP_TEXT[step])}</Text>
    </List.Item>
  );
}

function VerdictNotice({ verdict }: { verdict: Verdict }) {
  const { t } = useTranslation();
  if (verdict.success) {
    return (
      <Alert color="green" variant="light" icon={<IconCheck />} title={t("channels.test.passed")}>
        {verdict.cost_usd !== null && (
          <Text size="sm">
            {t("channels.test.cost")} <Money usd={verdict.cost_usd} />
          </Text>
        )}
      </Alert>
    );
  }
  const step = verdict.failed_step;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconCircleDashed />}
      role="alert"
      title={
        step === null
          ? t("channels.test.failed")
          : t("channels.test.failedAt", { step: t(STEP_TEXT[step]) })
      }
    >
      <Text size="sm">{step !== null && t(REMEDY[step])}</Text>
    </Alert>
  );
}

/** What to do about a step that failed. */
const REMEDY = {
  resolve: "channels.remedy.resolve",
  connect: "channels.remedy.connect",
  tls: "channels.remedy.tls",
  authenticate: "channels.remedy.authenticate",
  list_models: "channels.remedy.list_models",
  reply: "channels.remedy.reply",
  stream: "channels.remedy.stream",
  cost: "channels.remedy.cost",
} as const satisfies Record<StepName, string>;
