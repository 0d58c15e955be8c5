import { createFileRoute } from "@tanstack/react-router";
import { userSearch } from "@/features/users/search";
import { UserPage } from "@/features/users/UserPage";

export const Route = createFileRoute("/console/_admin/users/$id")({
  validateSearch: userSearch,
  component: User,
});

function User() {
  return <UserPage id={Number(Route.useParams().id)} />;
}
