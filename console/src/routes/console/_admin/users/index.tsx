import { createFileRoute } from "@tanstack/react-router";
import { usersSearch } from "@/features/users/search";
import { UsersPage } from "@/features/users/UsersPage";

export const Route = createFileRoute("/console/_admin/users/")({
  validateSearch: usersSearch,
  component: UsersPage,
});
