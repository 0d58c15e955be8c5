import { createFileRoute } from "@tanstack/react-router";
import { RegisterPage } from "@/features/signin/RegisterPage";
import { searchOf, text } from "@/lib/search";
import { PublicFrame } from "@/ui/PublicFrame";

export const Route = createFileRoute("/register")({
  validateSearch: searchOf({ aff: text() }),
  component: Page,
});

function Page() {
  const { aff } = Route.useSearch();
  return (
    <PublicFrame layout="card">
      <RegisterPage invite={aff} />
    </PublicFrame>
  );
}
