import { useTranslation } from "react-i18next";
import type { Task } from "@/records/task";
import { taskName } from "@/said/task";
import { RouterAnchor } from "@/ui/RouterAnchor";

/** What a task does; where some page shows what it has found, the way there. */
export function TaskName({ task: { id, kind } }: { task: Task }) {
  const { t } = useTranslation();
  switch (kind) {
    case "channel_test":
      return (
        <RouterAnchor to="/console/channels/matrix" search={{ task: id }} size="sm">
          {taskName(t, kind)}
        </RouterAnchor>
      );
    case "import":
    case "import_undo":
      return (
        <RouterAnchor to="/console/settings/import" search={{ task: id }} size="sm">
          {taskName(t, kind)}
        </RouterAnchor>
      );
    default:
      return taskName(t, kind);
  }
}
