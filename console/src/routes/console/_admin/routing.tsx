import { createFileRoute } from "@tanstack/react-router";
import { RoutingPage } from "@/features/routing/RoutingPage";
import { integer, oneOf, searchOf, text } from "@/lib/search";

export const Route = createFileRoute("/console/_admin/routing")({
  validateSearch: searchOf({
    tab: oneOf(["map"]),
    q: text(),
    model: text(),
    group: text(),
    token_id: integer(1),
    user_id: integer(1),
    operation: text(),
  }),
  component: RoutingPage,
});
