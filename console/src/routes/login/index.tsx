import { createFileRoute } from "@tanstack/react-router";
import { searchOf, text } from "@/lib/search";
import { NotFound } from "@/ui/NotFound";

export const Route = createFileRoute("/login/")({
  validateSearch: searchOf({ next: text() }),
  component: NotFound,
});
