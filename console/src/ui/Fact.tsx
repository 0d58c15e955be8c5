import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** A moment takes two lines rather than its neighbour's room. */
const VALUE = { overflowWrap: "anywhere", "--time-wrap": "normal" } as const;

/** A value under its name. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Stack gap={2} miw={0}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div" style={VALUE}>
        {children}
      </Text>
    </Stack>
  );
}
