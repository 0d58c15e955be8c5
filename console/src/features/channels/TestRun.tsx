import { Autocomplete, Button, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { TestSteps } from "./TestSteps";
import type { ChannelTest } from "./useChannelTest";

export interface TestRunProps {
  test: ChannelTest;
  /** What may be chosen; any other name may be typed. */
  models: readonly string[];
  model: string;
  onModel: (model: string) => void;
  /** Whether it has run before, so that the button stands back. */
  isAgain?: boolean;
  onRun: () => void;
}

/** The streamed test of a channel: with which model, and its steps. */
export function TestRun({ test, models, model, onModel, isAgain = false, onRun }: TestRunProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t("channels.test.text")}
      </Text>
      <Group align="flex-end" gap="sm">
        <Autocomplete
          label={t("channels.test.model")}
          data={[...new Set(models)]}
          limit={50}
          value={model}
          onChange={onModel}
          style={{ flex: "1 1 16rem" }}
        />
        {/* Two buttons and not one: what was pressed as "test" must not stop the test that has just begun. */}
        {test.isRunning ? (
          <Button key="stop" variant="default" onClick={test.stop}>
            {t("channels.test.stop")}
          </Button>
        ) : (
          <Button key="run" variant={isAgain ? "default" : "filled"} onClick={onRun}>
            {isAgain ? t("channels.test.again") : t("channels.test.run")}
          </Button>
        )}
      </Group>
      <TestSteps test={test} />
    </Stack>
  );
}
