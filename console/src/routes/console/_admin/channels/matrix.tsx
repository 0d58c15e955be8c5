import { createFileRoute } from "@tanstack/react-router";
import { MatrixPage } from "@/features/channels/MatrixPage";
import { searchOf, words } from "@/lib/search";

export const Route = createFileRoute("/console/_admin/channels/matrix")({
  validateSearch: searchOf({ channels: words(), models: words() }),
  component: MatrixPage,
});
