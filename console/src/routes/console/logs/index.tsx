import { createFileRoute } from "@tanstack/react-router";
import { LogsPage } from "@/features/logs/LogsPage";
import { readLogsSearch } from "@/features/logs/search";

export const Route = createFileRoute("/console/logs/")({
  validateSearch: readLogsSearch,
  component: LogsPage,
});
