import { createFileRoute } from "@tanstack/react-router";
import { MatrixPage } from "@/features/channels/MatrixPage";
import { searchOf, text, words } from "@/lib/search";

export const Route = createFileRoute("/console/_admin/channels/matrix")({
  validateSearch: searchOf({ channels: words(), models: words(), task: text() }),
  component: MatrixPage,
});
