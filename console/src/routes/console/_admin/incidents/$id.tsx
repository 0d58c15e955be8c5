import { createFileRoute } from "@tanstack/react-router";
import { IncidentPage } from "@/features/incidents/IncidentPage";
import { NotFound } from "@/ui/NotFound";

export const Route = createFileRoute("/console/_admin/incidents/$id")({
  component: Incident,
});

function Incident() {
  const id = Number(Route.useParams().id);
  return Number.isSafeInteger(id) ? <IncidentPage id={id} /> : <NotFound />;
}
