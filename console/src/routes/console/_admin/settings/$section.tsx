import { createFileRoute } from "@tanstack/react-router";
import { PAGES } from "@/features/settings/pages";
import { SettingsPage } from "@/features/settings/SettingsPage";
import { searchOf, text } from "@/lib/search";
import { NotFound } from "@/ui/NotFound";

export const Route = createFileRoute("/console/_admin/settings/$section")({
  validateSearch: searchOf({ q: text() }),
  component: Settings,
});

function Settings() {
  const { section } = Route.useParams();
  const page = PAGES.find((each) => each === section);
  return page === undefined ? <NotFound /> : <SettingsPage page={page} />;
}
