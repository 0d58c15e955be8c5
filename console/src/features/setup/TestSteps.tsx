import { Group, List, Loader, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";
import { type StepReport, TestStepItem } from "@/records/TestStepItem";
import { FormFailure } from "@/ui/form/FormFailure";
import { testChannel } from "./api";

export interface TestStepsProps {
  trial: Schema<"Trial">;
  onOver: (isFine: boolean) => void;
}

/** A channel's test as it goes, step by step. */
export function TestSteps({ trial, onOver }: TestStepsProps) {
  const { t } = useTranslation();
  const [steps, setSteps] = useState<readonly StepReport[]>([]);
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
          <TestStepItem key={step.step} report={step} />
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
