import { createFileRoute } from "@tanstack/react-router";
import { GroupsPage } from "@/features/groups/GroupsPage";
import { groupsSearch } from "@/features/groups/search";

export const Route = createFileRoute("/console/_admin/groups")({
  validateSearch: groupsSearch,
  component: GroupsPage,
});
