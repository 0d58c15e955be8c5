import { createFileRoute } from "@tanstack/react-router";
import { IncidentsPage } from "@/features/incidents/IncidentsPage";
import { incidentsSearch } from "@/features/incidents/search";

export const Route = createFileRoute("/console/_admin/incidents/")({
  validateSearch: incidentsSearch,
  component: IncidentsPage,
});
