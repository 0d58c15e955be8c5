import { createFileRoute } from "@tanstack/react-router";
import { ResetPage } from "@/features/signin/ResetPage";
import { searchOf, text } from "@/lib/search";
import { PublicFrame } from "@/ui/PublicFrame";

export const Route = createFileRoute("/reset")({
  validateSearch: searchOf({ token: text() }),
  component: Page,
});

function Page() {
  const { token } = Route.useSearch();
  return (
    <PublicFrame layout="card">
      <ResetPage token={token} />
    </PublicFrame>
  );
}
