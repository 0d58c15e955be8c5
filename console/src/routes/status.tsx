import { createFileRoute } from "@tanstack/react-router";
import { StatusPage } from "@/features/status/StatusPage";
import { PublicPage } from "@/ui/PublicPage";

export const Route = createFileRoute("/status")({
  component: () => (
    <PublicPage>
      <StatusPage />
    </PublicPage>
  ),
});
