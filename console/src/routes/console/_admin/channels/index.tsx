import { createFileRoute } from "@tanstack/react-router";
import { NotFound } from "@/ui/NotFound";

export const Route = createFileRoute("/console/_admin/channels/")({
  component: NotFound,
  staticData: { isMissing: true },
});
