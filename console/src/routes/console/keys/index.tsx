import { createFileRoute } from "@tanstack/react-router";
import { NotFound } from "@/ui/NotFound";

export const Route = createFileRoute("/console/keys/")({
  component: NotFound,
  staticData: { isMissing: true },
});
