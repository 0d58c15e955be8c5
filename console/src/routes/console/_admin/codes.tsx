import { createFileRoute } from "@tanstack/react-router";
import { CodesPage } from "@/features/codes/CodesPage";
import { codesSearch } from "@/features/codes/search";

export const Route = createFileRoute("/console/_admin/codes")({
  validateSearch: codesSearch,
  component: CodesPage,
});
