import { createFileRoute } from "@tanstack/react-router";
import { readPlaygroundSearch } from "@/features/playground/model/address";
import { PlaygroundPage } from "@/features/playground/ui/PlaygroundPage";

export const Route = createFileRoute("/console/playground/")({
  validateSearch: readPlaygroundSearch,
  component: PlaygroundPage,
});
