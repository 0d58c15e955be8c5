import { Anchor, Group, Paper, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Selection } from "./selection";

export interface SelectionBarProps {
  selection: Selection;
  /** How many rows match the filter; absent where acts on all of them are not possible. */
  total?: number | undefined;
  /** Buttons that act on the selection. */
  children: ReactNode;
}

/** How many are selected, "all N matching", and what can be done with them. */
export function SelectionBar({ selection, total, children }: SelectionBarProps) {
  const { t } = useTranslation();
  const count = selection.isEverything ? (total ?? 0) : selection.ids.length;
  if (count === 0) {
    return null;
  }
  const canWiden = !selection.isEverything && total !== undefined && total > count;
  return (
    <Paper withBorder px="md" py="xs" role="region" aria-label={t("table.selection")}>
      <Group gap="sm">
        <Text size="sm" fw={600} aria-live="polite">
          {t("table.selected", { count })}
        </Text>
        {canWiden && (
          <Anchor component="button" type="button" size="sm" onClick={selection.selectEverything}>
            {t("table.selectMatching", { count: total })}
          </Anchor>
        )}
        <Anchor component="button" type="button" size="sm" onClick={selection.clear}>
          {t("table.clearSelection")}
        </Anchor>
        <Group gap="xs" ms="auto">
          {children}
        </Group>
      </Group>
    </Paper>
  );
}
