import { createFileRoute } from "@tanstack/react-router";
import { AnnouncementsPage } from "@/features/announcements/AnnouncementsPage";
import { oneOf, searchOf, text } from "@/lib/search";

export const Route = createFileRoute("/console/_admin/announcements")({
  validateSearch: searchOf({ open: text(), title: text(), level: oneOf(["notice", "incident"]) }),
  component: AnnouncementsPage,
});
