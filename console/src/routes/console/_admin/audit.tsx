import { createFileRoute } from "@tanstack/react-router";
import { AuditPage } from "@/features/audit/AuditPage";
import { cursorFields, integer, searchOf, text } from "@/lib/search";

export const Route = createFileRoute("/console/_admin/audit")({
  validateSearch: searchOf({
    ...cursorFields,
    action: text(),
    object_kind: text(),
    object_id: text(),
    actor_id: integer(1),
    from: text(),
    to: text(),
    entry: integer(1),
  }),
  component: AuditPage,
});
