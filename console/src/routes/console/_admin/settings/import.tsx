import { createFileRoute } from "@tanstack/react-router";
import { ImportsPage } from "@/features/imports/ImportsPage";
import { importsSearch } from "@/features/imports/search";

export const Route = createFileRoute("/console/_admin/settings/import")({
  validateSearch: importsSearch,
  component: ImportsPage,
});
