import { createFileRoute } from "@tanstack/react-router";
import { KeyPage } from "@/features/keys/KeyPage";

export const Route = createFileRoute("/console/keys/$id")({
  component: OneKey,
});

function OneKey() {
  const { id } = Route.useParams();
  return <KeyPage id={Number(id)} />;
}
