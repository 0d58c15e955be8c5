import { Badge, Button, Code, Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconLock, IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Setting } from "./api";
import { SettingInput } from "./SettingInput";
import { WithCode } from "./WithCode";

const ORIGIN_TEXT = {
  default: "settings.origin.default",
  file: "settings.origin.file",
  environment: "settings.origin.environment",
  flag: "settings.origin.flag",
  database: "settings.origin.database",
} as const;

export interface SettingRowProps {
  setting: Setting;
  /** What was typed and not saved; absent where nothing was. */
  change: { value: unknown } | undefined;
  error: string | undefined;
  canWrite: boolean;
  onChange: (value: unknown) => void;
}

/** One setting: what it means, its input, its default, and where its value comes from. */
export function SettingRow({ setting, change, error, canWrite, onChange }: SettingRowProps) {
  const { t } = useTranslation();
  const shown = change === undefined ? setting.value : (change.value ?? setting.default);
  const origin = ORIGIN_TEXT[setting.origin as keyof typeof ORIGIN_TEXT] ?? ORIGIN_TEXT.default;
  return (
    <Paper withBorder p="md" component="li" data-changed={change !== undefined}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Stack gap={4}>
          <Group gap="xs">
            <Text fw={600} style={{ overflowWrap: "anywhere" }}>
              {setting.key}
            </Text>
            {change !== undefined && (
              <Badge size="sm" variant="light">
                {t("settings.changed")}
              </Badge>
            )}
            {setting.needs_restart && (
              <Badge
                size="sm"
                variant="light"
                color="yellow"
                leftSection={<IconRefresh size={12} />}
              >
                {t("settings.restart")}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            <WithCode text={setting.about} />
          </Text>
        </Stack>
        <Stack gap={6}>
          <SettingInput
            setting={setting}
            value={shown}
            error={error}
            isDisabled={!setting.writable || !canWrite}
            onChange={onChange}
          />
          {!setting.writable && (
            <Group gap={6} wrap="nowrap" align="flex-start">
              <IconLock size={16} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                <WithCode text={setting.locked_because ?? t("settings.locked")} />
              </Text>
            </Group>
          )}
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              {setting.origin !== "default" && (
                <>
                  {t(origin)}
                  {setting.origin_detail !== null && ` (${setting.origin_detail})`}
                  {" · "}
                </>
              )}
              {t("settings.default", { value: textOf(setting.default, t("settings.nothing")) })}
            </Text>
            {setting.environment !== null && <Code fz="xs">{setting.environment}</Code>}
            {setting.origin === "database" && setting.writable && (
              <Button
                size="compact-xs"
                variant="subtle"
                disabled={!canWrite}
                onClick={() => onChange(null)}
              >
                {t("settings.reset")}
              </Button>
            )}
          </Group>
        </Stack>
      </SimpleGrid>
    </Paper>
  );
}

function textOf(value: unknown, nothing: string): string {
  if (value === null || value === undefined || value === "") {
    return nothing;
  }
  return Array.isArray(value) ? value.join(", ") || nothing : String(value);
}
