import { Badge, Group, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./AttemptChips.module.css";
import type { Attempt } from "./api";
import { isGood } from "./callFacts";

/** The tries of a call in its row: `A 429 · B ok`. */
export function AttemptChips({ of }: { of: readonly Attempt[] }) {
  const { t } = useTranslation();
  if (of.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("logs.noAttempt")}
      </Text>
    );
  }
  return (
    <Group gap={4} miw={116} maw={260}>
      {of.map((attempt) => (
        <Chip
          key={`${attempt.started_after_ms} ${attempt.channel_id} ${attempt.key_index}`}
          of={attempt}
        />
      ))}
    </Group>
  );
}

function Chip({ of }: { of: Attempt }) {
  const { t } = useTranslation();
  const name = of.channel ?? t("logs.channelGone", { id: of.channel_id });
  const outcome = isGood(of) ? t("logs.ok") : String(of.status ?? t("logs.failed"));
  const badge = (
    <Badge
      variant="default"
      fw={500}
      maw={200}
      tabIndex={of.error === null ? undefined : 0}
      style={isGood(of) ? undefined : { borderColor: "var(--mantine-color-red-5)" }}
    >
      <span className={classes.chip}>
        <span className={classes.chipName}>{name}</span> {outcome}
      </span>
    </Badge>
  );
  return of.error === null ? (
    badge
  ) : (
    <Tooltip
      label={of.error}
      multiline
      maw={320}
      events={{ hover: true, focus: true, touch: true }}
    >
      {badge}
    </Tooltip>
  );
}
