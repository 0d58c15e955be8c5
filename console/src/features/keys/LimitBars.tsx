import { Group, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/lib/duration";
import { Money, Unknown } from "@/ui/Money";
import { type Key, type KeyBudget, keyUsageQuery } from "./api";
import { fullness, hasBudget, resetsAt } from "./keyState";

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
  const hasLimit = hasBudget(of);
  const usage = useQuery({ ...keyUsageQuery(of.id), enabled: hasLimit });
  if (!hasLimit) {
    return (
      <Text size="sm" c="dimmed">
        {t("keys.spentNoLimit")} <Money usd={of.used_quota_usd} />
      </Text>
    );
  }
  const [fullest] = [...(usage.data?.budgets ?? [])].sort((a, b) => share(b) - share(a));
  return fullest === undefined ? <Unknown /> : <LimitBar budget={fullest} />;
}

const share = ({ taken_usd, limit_usd }: KeyBudget) => fullness(taken_usd, limit_usd);

/** A budget: what is taken of it, and when it begins anew. */
export function LimitBar({ budget }: { budget: KeyBudget }) {
  const { t, i18n } = useTranslation();
  const percent = share(budget);
  const text = PERIOD_TEXTS[budget.period];
  const reset = resetsAt(budget);
  const seconds = reset === undefined ? 0 : (reset.getTime() - Date.now()) / 1_000;
  const label = text === undefined ? budget.period : t(text);
  return (
    <Stack gap={3} miw={150}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs">{label}</Text>
        <Text size="xs">
          <Money usd={budget.taken_usd} /> {"/"} <Money usd={budget.limit_usd} />
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section value={percent} color={barColor(percent)} aria-label={label} />
      </Progress.Root>
      {reset !== undefined && (
        <Text size="xs" c="dimmed" title={reset.toISOString()}>
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
