import { Badge, Tooltip } from "@mantine/core";

/** What a state means for whoever looks at it; the colour follows. */
export type Tone = "good" | "busy" | "warning" | "bad" | "idle";

const COLORS: Readonly<Record<Tone, string>> = {
  good: "green",
  busy: "blue",
  warning: "yellow",
  bad: "red",
  idle: "gray",
};

export interface StatusBadgeProps {
  tone: Tone;
  label: string;
  /** Why it is in that state. */
  reason?: string | null | undefined;
}

/** A state in a word, told by text and dot and never by colour alone. */
export function StatusBadge({ tone, label, reason }: StatusBadgeProps) {
  const badge = (
    <Badge
      variant="dot"
      color={COLORS[tone]}
      size="md"
      fw={500}
      miw="max-content"
      tabIndex={reason ? 0 : undefined}
    >
      {label}
    </Badge>
  );
  return reason ? (
    <Tooltip label={reason} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      {badge}
    </Tooltip>
  ) : (
    badge
  );
}
