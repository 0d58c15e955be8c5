import { createFileRoute } from "@tanstack/react-router";
import { ChannelsPage } from "@/features/channels/ChannelsPage";
import { oneOf, searchOf, tableFields, text } from "@/lib/search";

export const Route = createFileRoute("/console/_admin/channels/")({
  validateSearch: searchOf({
    ...tableFields,
    view: oneOf(["table"]),
    search: text(),
    type: text(),
    state: oneOf(["on", "draining", "off"]),
    tag: text(),
    model: text(),
    group: text(),
  }),
  component: ChannelsPage,
});
