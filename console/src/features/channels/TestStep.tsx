import { Autocomplete, Button, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { WizardState } from "./NewChannelPage";
import { TestSteps } from "./TestSteps";

/** The streamed test of settings that are not stored yet. */
export function TestStep({ wizard }: { wizard: WizardState }) {
  const { t } = useTranslation();
  const { run, model, setModel, available, ask } = wizard;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t("channels.test.text")}
      </Text>
      <Group align="flex-end" gap="sm">
        <Autocomplete
          label={t("channels.test.model")}
          data={[...new Set(available ?? [])]}
          limit={50}
          value={model}
          onChange={setModel}
          style={{ flex: "1 1 16rem" }}
        />
        {run.isRunning ? (
          <Button variant="default" onClick={run.stop}>
            {t("channels.test.stop")}
          </Button>
        ) : (
          <Button variant="default" onClick={() => void ask(model)}>
            {t("channels.test.again")}
          </Button>
        )}
      </Group>
      <TestSteps test={run} />
    </Stack>
  );
}
