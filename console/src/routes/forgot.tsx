import { createFileRoute } from "@tanstack/react-router";
import { ForgotPage } from "@/features/signin/ForgotPage";

import { PublicFrame } from "@/ui/PublicFrame";

export const Route = createFileRoute("/forgot")({
  component: Page,
});

function Page() {
  return (
    <PublicFrame layout="card">
      <ForgotPage />
    </PublicFrame>
  );
}
