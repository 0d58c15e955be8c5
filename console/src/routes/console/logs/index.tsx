import { createFileRoute } from "@tanstack/react-router";
import { NotFound } from "@/ui/NotFound";

export const Route = createFileRoute("/console/logs/")({
  component: NotFound,
  staticData: { isMissing: true },
});
