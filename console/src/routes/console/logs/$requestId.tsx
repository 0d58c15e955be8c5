import { createFileRoute } from "@tanstack/react-router";
import { LogPage } from "@/features/logs/LogPage";

export const Route = createFileRoute("/console/logs/$requestId")({
  component: OneCall,
});

function OneCall() {
  const { requestId } = Route.useParams();
  return <LogPage requestId={requestId} />;
}
