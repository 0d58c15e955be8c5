import { createFileRoute } from "@tanstack/react-router";
import { KeysPage } from "@/features/keys/KeysPage";
import { readKeysSearch } from "@/features/keys/search";

export const Route = createFileRoute("/console/keys/")({
  validateSearch: readKeysSearch,
  component: KeysPage,
});
