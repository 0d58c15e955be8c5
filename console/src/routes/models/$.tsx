import { createFileRoute } from "@tanstack/react-router";
import { ModelPage } from "@/features/catalogue/ModelPage";
import { PublicPage } from "@/ui/PublicPage";

// Names of models may contain slashes.
export const Route = createFileRoute("/models/$")({ component: Page });

function Page() {
  const { _splat = "" } = Route.useParams();
  return (
    <PublicPage>
      <ModelPage name={_splat} />
    </PublicPage>
  );
}
