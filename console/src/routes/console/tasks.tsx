import { createFileRoute } from "@tanstack/react-router";
import { TasksPage } from "@/features/tasks/TasksPage";
import { cursorFields, oneOf, searchOf } from "@/lib/search";

export const Route = createFileRoute("/console/tasks")({
  validateSearch: searchOf({
    ...cursorFields,
    scope: oneOf(["all"]),
    state: oneOf(["running", "done", "failed", "cancelled"]),
  }),
  component: TasksPage,
});
