import { Chip, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Recipe } from "@/recipes/api";

const KINDS = [
  { kind: "agent", text: "connect.agents" },
  { kind: "sdk", text: "connect.sdks" },
  { kind: "app", text: "connect.apps" },
] as const;

export interface ToolPickerProps {
  recipes: readonly Recipe[];
  chosen: string;
  onChoose: (id: string) => void;
}

/** Every tool that has a recipe, by kind. */
export function ToolPicker({ recipes, chosen, onChoose }: ToolPickerProps) {
  const { t } = useTranslation();
  return (
    <Chip.Group value={chosen} onChange={(value) => onChoose(String(value))}>
      <Stack gap="sm" role="radiogroup" aria-label={t("connect.tool")}>
        {KINDS.map(({ kind, text }) => (
          <Stack key={kind} gap={6}>
            <Text size="sm" c="dimmed">
              {t(text)}
            </Text>
            <Group gap="xs">
              {recipes
                .filter((recipe) => recipe.kind === kind)
                .map(({ id, label }) => (
                  <Chip key={id} value={id} size="sm" variant="outline">
                    {label}
                  </Chip>
                ))}
            </Group>
          </Stack>
        ))}
      </Stack>
    </Chip.Group>
  );
}
