import { createFileRoute } from "@tanstack/react-router";
import { readCompareSearch } from "@/features/playground/model/address";
import { ComparePage } from "@/features/playground/ui/ComparePage";

export const Route = createFileRoute("/console/playground/compare")({
  validateSearch: readCompareSearch,
  component: ComparePage,
});
