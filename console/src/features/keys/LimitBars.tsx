import { Group, Progress, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/lib/duration";
import { Money } from "@/ui/Money";
import type { Key, KeyBudget } from "./api";
import { fullness } from "./keyState";

const PERIOD_TEXTS: Readonly<Record<string, PeriodText>> = {
  total: "keys.budget.total",
  daily: "keys.budget.daily",
  weekly: "keys.budget.weekly",
  monthly: "keys.budget.monthly",
};

type PeriodText =
  | "keys.budget.total"
  | "keys.budget.daily"
  | "keys.budget.weekly"
  | "keys.budget.monthly";

/** In a table: the fullest of a key's budgets, or what it spent where it has none. */
export function FullestLimit({ of }: { of: Key }) {
  const { t } = useTranslation();
  const [fullest] = [...(of.budgets ?? [])].sort((a, b) => share(b) - share(a));
  if (fullest !== undefined) {
    return <LimitBar budget={fullest} />;
  }
  return (
    <Text size="sm" c="dimmed">
      {t("keys.spentNoLimit")} <Money usd={of.used_quota_usd} />
    </Text>
  );
}

const share = ({ taken_usd, limit_usd }: KeyBudget) => fullness(taken_usd, limit_usd);

/** A budget: what is taken of it, and when it begins anew. */
export function LimitBar({ budget }: { budget: KeyBudget }) {
  const { t, i18n } = useTranslation();
  const percent = share(budget);
  const text = PERIOD_TEXTS[budget.period];
  const reset = budget.resets_at;
  const seconds = reset === null ? 0 : (Date.parse(reset) - Date.now()) / 1_000;
  const label = text === undefined ? budget.period : t(text);
  return (
    <Stack gap={3} miw={160}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" style={{ whiteSpace: "nowrap" }}>
          {label}
        </Text>
        <Text size="xs" style={{ whiteSpace: "nowrap" }}>
          <Money usd={budget.taken_usd} /> {"/"} <Money usd={budget.limit_usd} />
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section value={percent} color={barColor(percent)} aria-label={label} />
      </Progress.Root>
      {reset !== null && (
        <Text size="xs" c="dimmed" title={reset}>
          {t("keys.resetsIn", { duration: formatDuration(seconds, i18n.language) })}
        </Text>
      )}
    </Stack>
  );
}

function barColor(percent: number): string {
  if (percent >= 100) {
    return "red";
  }
  return percent >= 80 ? "yellow" : "gate";
}
