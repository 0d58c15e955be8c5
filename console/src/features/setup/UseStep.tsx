import { Button, Group, Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { PageHead } from "@/ui/PageHead";
import type { Mode } from "./api";

const MODES = [
  { mode: "personal", title: "setup.personal", text: "setup.personalText" },
  { mode: "team", title: "setup.team", text: "setup.teamText" },
  { mode: "public", title: "setup.public", text: "setup.publicText" },
] as const;

export interface UseStepProps {
  mode: Mode;
  onBack: () => void;
  onDone: (mode: Mode) => void;
}

/** Who will use it: decides what the console shows and whether visitors may register. */
export function UseStep({ mode, onBack, onDone }: UseStepProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Mode>(mode);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onDone(chosen);
      }}
    >
      <Stack gap="md">
        <PageHead title={t("setup.useTitle")} description={t("setup.useText")} />
        <Radio.Group
          value={chosen}
          onChange={(value) => setChosen(value as Mode)}
          aria-label={t("setup.useTitle")}
        >
          <Stack gap="xs">
            {MODES.map(({ mode: each, title, text }) => (
              <Radio.Card key={each} value={each} p="md" aria-label={t(title)}>
                <Group wrap="nowrap" align="flex-start">
                  <Radio.Indicator />
                  <div>
                    <Text fw={600}>{t(title)}</Text>
                    <Text size="sm" c="dimmed">
                      {t(text)}
                    </Text>
                  </div>
                </Group>
              </Radio.Card>
            ))}
          </Stack>
        </Radio.Group>
        <Group justify="space-between">
          <Button variant="subtle" color="gray" onClick={onBack}>
            {t("setup.back")}
          </Button>
          <Button type="submit">{t("setup.continue")}</Button>
        </Group>
      </Stack>
    </form>
  );
}
