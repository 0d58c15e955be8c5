import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";

export interface PageHeadProps {
  title: string;
  description: string;
  /** Shown beside the title. */
  aside?: ReactNode;
  /** What can be done here, at the end of the title's line; below it where that is too narrow. */
  actions?: ReactNode;
}

/** The page's only first-level heading; it names the browser tab too. */
export function PageHead({ title, description, aside, actions }: PageHeadProps) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = t("frame.tab", { page: title });
  }, [t, title]);
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={4} miw={0} flex="1 1 20rem">
        <Group gap="sm">
          <Title order={1} size="h2" style={{ overflowWrap: "anywhere" }}>
            {title}
          </Title>
          {aside}
        </Group>
        <Text size="sm" c="dimmed" maw="90ch" style={{ overflowWrap: "anywhere" }}>
          {description}
        </Text>
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
