// The steps of a test as they are done, each with its time and what there is to say about it.

import { Alert, List, Loader, Stack, Text } from "@mantine/core";
import { IconCheck, IconCircleDashed } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { STEP_TEXT, type StepName, TestStepItem } from "@/records/TestStepItem";
import { FormFailure } from "@/ui/form/FormFailure";
import { Money } from "@/ui/Money";
import { STEPS, type Verdict } from "./channelTest";
import type { ChannelTest } from "./useChannelTest";

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
          <TestStepItem key={report.step} report={report} />
        ))}
        {isRunning && waiting !== undefined && <Pending step={waiting} />}
      </List>
      {verdict !== undefined && <VerdictNotice verdict={verdict} />}
      <FormFailure failure={failure} />
    </Stack>
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
  const step = verdict.failed_step as StepName | null;
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
