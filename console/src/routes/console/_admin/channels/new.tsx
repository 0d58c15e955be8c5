import { createFileRoute } from "@tanstack/react-router";
import { NewChannelPage } from "@/features/channels/NewChannelPage";
import { searchOf, text } from "@/lib/search";

export const Route = createFileRoute("/console/_admin/channels/new")({
  validateSearch: searchOf({ type: text() }),
  component: NewChannelPage,
});
