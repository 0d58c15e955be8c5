import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export interface SectionCardProps {
  title: string;
  /** What the section is about, in a sentence. */
  text?: string;
  /** A state or an act beside the title. */
  aside?: ReactNode;
  children: ReactNode;
}

/** One subject of a page with its heading, on a surface of its own. */
export function SectionCard({ title, text, aside, children }: SectionCardProps) {
  return (
    <Paper withBorder p="lg" component="section" aria-label={title} miw={0}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} flex={1} miw={200}>
            <Title order={2} size="h4">
              {title}
            </Title>
            {text !== undefined && (
              <Text size="sm" c="dimmed" maw="64ch">
                {text}
              </Text>
            )}
          </Stack>
          {aside}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
