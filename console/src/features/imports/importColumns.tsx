// The columns of the list of imports.

import { Anchor, Button, VisuallyHidden } from "@mantine/core";
import type { TFunction } from "i18next";
import { Count } from "@/ui/Count";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { StatusBadge } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import type { Import } from "./api";
import { KIND_NAMES, STATE_TEXT, STATE_TONES, type State } from "./words";

/** What can be taken back: what was made and is not gone yet. */
const UNDOABLE: readonly string[] = ["done", "failed", "cancelled", "partly_undone"];

function sourceName({ kind, source }: Import): string {
  const name = KIND_NAMES[kind as keyof typeof KIND_NAMES] ?? kind;
  return source === kind ? name : `${name} · ${source}`;
}

export function importColumns(
  t: TFunction,
  onOpen: (id: number) => void,
  onUndo: (batch: Import) => void,
): Column<Import>[] {
  return [
    {
      id: "created_at",
      header: t("imports.when"),
      cell: ({ row: { original } }) => <Time at={original.created_at} />,
    },
    {
      id: "source",
      header: t("imports.from"),
      cell: ({ row: { original } }) => (
        <Anchor component="button" type="button" size="sm" onClick={() => onOpen(original.id)}>
          {sourceName(original)}
        </Anchor>
      ),
    },
    {
      id: "by",
      header: t("imports.by"),
      cell: ({ row: { original } }) => (
        <RouterAnchor
          to="/console/users/$id"
          params={{ id: String(original.created_by) }}
          size="sm"
        >
          {`#${original.created_by}`}
        </RouterAnchor>
      ),
    },
    {
      id: "records",
      header: t("imports.left"),
      meta: { align: "end" },
      cell: ({ row: { original } }) => <Count value={original.records} />,
    },
    {
      id: "state",
      header: t("imports.state"),
      cell: ({ row: { original } }) => {
        const state = original.state as State;
        return <StatusBadge tone={STATE_TONES[state]} label={t(STATE_TEXT[state])} />;
      },
    },
    {
      id: "acts",
      header: () => <VisuallyHidden>{t("imports.undo")}</VisuallyHidden>,
      meta: { align: "end", label: t("imports.undo") },
      cell: ({ row: { original } }) =>
        UNDOABLE.includes(original.state) ? (
          <Button variant="default" size="xs" onClick={() => onUndo(original)}>
            {t("imports.undo")}
          </Button>
        ) : null,
    },
  ];
}
