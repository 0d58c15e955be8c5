import { Group, List, Loader, Text, ThemeIcon } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconMinus, IconX } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";
import { FormFailure } from "@/ui/form/FormFailure";
import { type TestStep, testChannel } from "./api";

const NAMES = {
  resolve: "setup.test.resolve",
  connect: "setup.test.connect",
  tls: "setup.test.tls",
  authenticate: "setup.test.authenticate",
  list_models: "setup.test.list_models",
  reply: "setup.test.reply",
  stream: "setup.test.stream",
  cost: "setup.test.cost",
} as const;

const MARKS = {
  ok: { color: "green", icon: IconCheck, text: "setup.outcome.ok" },
  warning: { color: "yellow", icon: IconAlertTriangle, text: "setup.outcome.warning" },
  failed: { color: "red", icon: IconX, text: "setup.outcome.failed" },
  skipped: { color: "gray", icon: IconMinus, text: "setup.outcome.skipped" },
} as const;

export interface TestStepsProps {
  trial: Schema<"Trial">;
  onOver: (isFine: boolean) => void;
}

/** A channel's test as it goes, step by step. */
export function TestSteps({ trial, onOver }: TestStepsProps) {
  const { t } = useTranslation();
  const [steps, setSteps] = useState<readonly TestStep[]>([]);
  const [isOver, setOver] = useState(false);
  const [failure, setFailure] = useState<Error>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: one test for each time it is shown.
  useEffect(() => {
    const abort = new AbortController();
    setSteps([]);
    testChannel(trial, abort.signal, (step) => setSteps((before) => [...before, step]))
      .then((isFine) => {
        if (!abort.signal.aborted) {
          setOver(true);
          onOver(isFine);
        }
      })
      .catch((error: Error) => {
        if (!abort.signal.aborted) {
          setFailure(error);
          onOver(false);
        }
      });
    return () => abort.abort();
  }, []);
  return (
    <div aria-live="polite">
      <List listStyleType="none" spacing="xs">
        {steps.map((step) => (
          <Step key={step.step} step={step} />
        ))}
      </List>
      {!isOver && failure === undefined && (
        <Group gap="xs" mt="xs">
          <Loader size="xs" />
          <Text size="sm" c="dimmed">
            {t("setup.testing")}
          </Text>
        </Group>
      )}
      <FormFailure failure={failure} />
    </div>
  );
}

function Step({ step }: { step: TestStep }) {
  const { t } = useTranslation();
  const { color, icon: Icon, text } = MARKS[step.outcome];
  const name = step.step in NAMES ? t(NAMES[step.step as keyof typeof NAMES]) : step.step;
  return (
    <List.Item
      icon={
        <ThemeIcon
          size={20}
          radius="xl"
          variant="light"
          color={color}
          role="img"
          aria-label={t(text)}
        >
          <Icon size={13} />
        </ThemeIcon>
      }
    >
      <Text size="sm" fw={500}>
        {name}
      </Text>
      {step.detail !== "" && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {step.detail}
        </Text>
      )}
    </List.Item>
  );
}
