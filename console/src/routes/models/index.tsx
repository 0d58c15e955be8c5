import { createFileRoute } from "@tanstack/react-router";
import { CataloguePage } from "@/features/catalogue/CataloguePage";
import { searchOf, text } from "@/lib/search";
import { PublicPage } from "@/ui/PublicPage";

export const Route = createFileRoute("/models/")({
  validateSearch: searchOf({ search: text() }),
  component: Page,
});

function Page() {
  const { search = "" } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <PublicPage>
      <CataloguePage
        search={search}
        onSearch={(typed) =>
          void navigate({ search: typed === "" ? {} : { search: typed }, replace: true })
        }
      />
    </PublicPage>
  );
}
