import { createFileRoute } from "@tanstack/react-router";
import { SystemPage } from "@/features/system/SystemPage";

export interface SystemSearch {
  /** Narrows the list of metrics. */
  metric?: string;
}

export const Route = createFileRoute("/console/_admin/system")({
  validateSearch: (search): SystemSearch =>
    typeof search.metric === "string" ? { metric: search.metric } : {},
  component: System,
});

function System() {
  const { metric = "" } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <SystemPage
      filter={metric}
      onFilterChange={(filter) =>
        void navigate({ search: filter === "" ? {} : { metric: filter }, replace: true })
      }
    />
  );
}
