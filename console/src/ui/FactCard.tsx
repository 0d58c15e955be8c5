import { Paper, Text } from "@mantine/core";
import type { ReactNode } from "react";

export interface FactCardProps {
  name: string;
  /** Absent where the gateway does not report it: then a dash and `reason`. */
  value: ReactNode | undefined;
  /** Why there is no value. */
  reason: string;
}

/** One figure with its name; an unknown one is a dash with the reason, never a zero. */
export function FactCard({ name, value, reason }: FactCardProps) {
  return (
    <Paper withBorder p="md">
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} mt={4} fz="xl" fw={600} style={{ overflowWrap: "anywhere" }}>
        {value ?? "—"}
      </Text>
      {value === undefined && (
        <Text component="dd" m={0} size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </Paper>
  );
}
