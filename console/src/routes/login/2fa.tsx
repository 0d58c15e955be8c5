import { createFileRoute } from "@tanstack/react-router";
import { SecondFactorPage } from "@/features/signin/SecondFactorPage";
import { searchOf, text } from "@/lib/search";
import { PublicFrame } from "@/ui/PublicFrame";

export const Route = createFileRoute("/login/2fa")({
  validateSearch: searchOf({ next: text() }),
  component: Page,
});

function Page() {
  const { next } = Route.useSearch();
  return (
    <PublicFrame layout="card">
      <SecondFactorPage next={next} />
    </PublicFrame>
  );
}
