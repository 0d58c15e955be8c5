import { Box, Group, Paper, Stack, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

export interface PanelProps {
  title: string;
  /** Beside the title, for example a link to the whole list. */
  aside?: ReactNode;
  children: ReactNode;
}

/** One question of the overview with its answer. */
export function Panel({ title, aside, children }: PanelProps) {
  const id = useId();
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id} miw={0}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} size="h5" id={id}>
            {title}
          </Title>
          <Box style={{ flexShrink: 0 }}>{aside}</Box>
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
