import { Code, Group, Paper, Stack, Text } from "@mantine/core";
import { CopyButton } from "@/ui/CopyButton";
import type { Recipe } from "./api";
import { fillKey } from "./fillKey";

export interface RecipeFilesProps {
  recipe: Recipe;
  /** Filled in where it is known. */
  secret?: string | undefined;
}

/** What to write where, each part with its copy button, and what people get wrong. */
export function RecipeFiles({ recipe, secret }: RecipeFilesProps) {
  return (
    <Stack gap="sm">
      {recipe.files.map((file) => {
        const text = fillKey(file.text, secret);
        return (
          <Paper key={file.title} withBorder>
            <Group justify="space-between" px="sm" py={4} wrap="nowrap">
              <Text size="sm" fw={500}>
                {file.title}
              </Text>
              <CopyButton text={text} label={file.title} />
            </Group>
            {/* A box that scrolls must be reachable by keyboard. */}
            <Code block tabIndex={0} role="region" aria-label={file.title} fz="sm">
              {text}
            </Code>
          </Paper>
        );
      })}
      {recipe.note !== "" && (
        <Text size="sm" c="dimmed">
          {recipe.note}
        </Text>
      )}
    </Stack>
  );
}
