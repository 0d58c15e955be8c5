import { Group } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { RouterButton } from "./RouterButton";

interface BackButtonProps {
  to: NonNullable<ComponentProps<typeof RouterButton>["to"]>;
  children: ReactNode;
}

/** From one record back to its list. */
export function BackButton({ to, children }: BackButtonProps) {
  return (
    <Group>
      <RouterButton
        to={to}
        variant="subtle"
        size="compact-sm"
        leftSection={<IconArrowLeft size={16} />}
      >
        {children}
      </RouterButton>
    </Group>
  );
}
