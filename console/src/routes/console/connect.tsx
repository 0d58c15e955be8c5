import { createFileRoute } from "@tanstack/react-router";
import { ConnectPage } from "@/features/connect/ConnectPage";
import { readConnectSearch } from "@/features/connect/search";

export const Route = createFileRoute("/console/connect")({
  validateSearch: readConnectSearch,
  component: ConnectPage,
});
