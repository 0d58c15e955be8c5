import { createFileRoute } from "@tanstack/react-router";
import { readUsageSearch } from "@/features/usage/search";
import { UsagePage } from "@/features/usage/UsagePage";

export const Route = createFileRoute("/console/usage")({
  validateSearch: readUsageSearch,
  component: UsagePage,
});
