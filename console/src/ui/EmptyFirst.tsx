import { Stack, Text, ThemeIcon } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

export interface EmptyFirstProps {
  icon: Icon;
  /** What this is, told to someone who has never had any. */
  title: string;
  text: string;
  /** The one thing to do about it. */
  action?: ReactNode;
}

/** For `DataRegion`'s `emptyFirst`. */
export function EmptyFirst({ icon: Icon, title, text, action }: EmptyFirstProps) {
  return (
    <Stack align="center" gap="xs" py="md">
      <ThemeIcon variant="light" size={44} radius="xl">
        <Icon size={24} stroke={1.6} />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" maw="56ch" ta="center">
        {text}
      </Text>
      {action}
    </Stack>
  );
}
