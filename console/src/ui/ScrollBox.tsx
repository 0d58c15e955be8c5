import { Box } from "@mantine/core";
import type { ReactNode } from "react";

/** For wide content on narrow screens: it scrolls in its own box, by keyboard too. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box role="group" aria-label={label} tabIndex={0} style={{ overflowX: "auto" }}>
      {children}
    </Box>
  );
}
