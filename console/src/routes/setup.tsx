import { createFileRoute } from "@tanstack/react-router";
import { SetupPage } from "@/features/setup/SetupPage";
import { searchOf, text } from "@/lib/search";
import { statusQuery } from "@/session/session";
import { PublicFrame } from "@/ui/PublicFrame";

export const Route = createFileRoute("/setup")({
  validateSearch: searchOf({ code: text() }),
  loader: async ({ context }) => {
    await context.queryClient.ensureQueryData(statusQuery);
  },
  component: Page,
});

function Page() {
  const { code } = Route.useSearch();
  return (
    <PublicFrame layout="card">
      <SetupPage code={code} />
    </PublicFrame>
  );
}
