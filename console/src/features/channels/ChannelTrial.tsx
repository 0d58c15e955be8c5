import { Autocomplete, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Channel } from "./api";
import { aliasOf } from "./modelMap";
import { TestSteps } from "./TestSteps";
import { useChannelTest } from "./useChannelTest";

/** The streamed test of a stored channel. */
export function ChannelTrial({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const models = channel.models.map(aliasOf);
  const [model, setModel] = useState(models[0] ?? "");
  const test = useChannelTest();
  return (
    <Paper withBorder p="lg" maw={860}>
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
            onChange={setModel}
            style={{ flex: "1 1 16rem" }}
          />
          {test.isRunning ? (
            <Button variant="default" onClick={test.stop}>
              {t("channels.test.stop")}
            </Button>
          ) : (
            <Button
              onClick={() => void test.run({ id: channel.id, ...(model === "" ? {} : { model }) })}
            >
              {t("channels.test.run")}
            </Button>
          )}
        </Group>
        <TestSteps test={test} />
      </Stack>
    </Paper>
  );
}
