import { Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** A part of the detail with its heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}
