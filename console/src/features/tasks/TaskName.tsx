import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Task } from "@/records/task";
import { RouterAnchor } from "@/ui/RouterAnchor";

const KIND_TEXT = {
  channel_batch: "tasks.kind.channels",
  channel_test: "tasks.kind.tests",
  import: "tasks.kind.import",
  import_undo: "tasks.kind.undo",
  log_export: "tasks.kind.export",
  user_import: "tasks.kind.users",
} as const;

function nameOf(t: TFunction, kind: string): string {
  return kind in KIND_TEXT ? t(KIND_TEXT[kind as keyof typeof KIND_TEXT]) : kind;
}

/** What a task does; where some page shows what it has found, the way there. */
export function TaskName({ task: { id, kind } }: { task: Task }) {
  const { t } = useTranslation();
  switch (kind) {
    case "channel_test":
      return (
        <RouterAnchor to="/console/channels/matrix" search={{ task: id }} size="sm">
          {nameOf(t, kind)}
        </RouterAnchor>
      );
    case "import":
    case "import_undo":
      return (
        <RouterAnchor to="/console/settings/import" search={{ task: id }} size="sm">
          {nameOf(t, kind)}
        </RouterAnchor>
      );
    default:
      return nameOf(t, kind);
  }
}
