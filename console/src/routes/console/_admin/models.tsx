import { createFileRoute } from "@tanstack/react-router";
import { ModelsPage } from "@/features/models/ModelsPage";
import { flag, oneOf, searchOf, tableFields, text } from "@/lib/search";

export const Route = createFileRoute("/console/_admin/models")({
  validateSearch: searchOf({
    ...tableFields,
    search: text(),
    source: oneOf(["administrator", "declared", "catalogue", "none"]),
    all: flag(),
    model: text(),
    open: oneOf(["compare"]),
  }),
  component: ModelsPage,
});
