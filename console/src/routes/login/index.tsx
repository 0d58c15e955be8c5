import { createFileRoute } from "@tanstack/react-router";
import { LoginPage } from "@/features/signin/LoginPage";
import { searchOf, text } from "@/lib/search";
import { PublicFrame } from "@/ui/PublicFrame";

export const Route = createFileRoute("/login/")({
  validateSearch: searchOf({ next: text(), error: text() }),
  component: Page,
});

function Page() {
  const { next, error } = Route.useSearch();
  return (
    <PublicFrame layout="card">
      <LoginPage next={next} error={error} />
    </PublicFrame>
  );
}
