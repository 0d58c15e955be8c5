import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import classes from "./settings.module.css";
import type { SettingsDraft } from "./useSettingsDraft";

/** What is not saved yet, always in view while there is any. */
export function SaveBar({ draft }: { draft: SettingsDraft }) {
  const { t } = useTranslation();
  if (draft.count === 0) {
    return null;
  }
  return (
    <Paper
      withBorder
      shadow="md"
      p="sm"
      className={classes.bar}
      role="region"
      aria-label={t("settings.unsavedLabel")}
    >
      <Stack gap="xs">
        <FormFailure failure={draft.failure} />
        <Group justify="space-between">
          <Text fw={600} role="status">
            {t("settings.unsaved", { count: draft.count })}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={draft.discard}>
              {t("settings.discard")}
            </Button>
            <Button loading={draft.isBusy} onClick={() => void draft.save()}>
              {t("settings.save")}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  );
}
