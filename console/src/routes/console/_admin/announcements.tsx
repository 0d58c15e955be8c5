import { createFileRoute } from "@tanstack/react-router";
import { AnnouncementsPage } from "@/features/announcements/AnnouncementsPage";
import { searchOf, text } from "@/lib/search";

export const Route = createFileRoute("/console/_admin/announcements")({
  validateSearch: searchOf({ open: text() }),
  component: AnnouncementsPage,
});
