import { createFileRoute } from "@tanstack/react-router";
import { NotFound } from "@/ui/NotFound";

export const Route = createFileRoute("/console/keys/$id")({
  component: NotFound,
  staticData: { isMissing: true },
});
