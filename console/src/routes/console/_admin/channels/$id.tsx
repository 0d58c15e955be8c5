import { createFileRoute } from "@tanstack/react-router";
import { ChannelPage } from "@/features/channels/ChannelPage";
import { oneOf, searchOf } from "@/lib/search";
import { NotFound } from "@/ui/NotFound";

export const Route = createFileRoute("/console/_admin/channels/$id")({
  validateSearch: searchOf({ tab: oneOf(["keys", "test"]) }),
  component: Channel,
});

function Channel() {
  const id = Number(Route.useParams().id);
  return Number.isSafeInteger(id) ? <ChannelPage id={id} /> : <NotFound />;
}
