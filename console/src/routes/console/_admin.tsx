import { createFileRoute, Outlet } from "@tanstack/react-router";
import { ForbiddenPage } from "@/session/ForbiddenPage";
import { mayAdminister } from "@/session/guard";

export const Route = createFileRoute("/console/_admin")({
  beforeLoad: async ({ context, location }) => ({
    isAllowed: await mayAdminister(context.queryClient, location.href),
  }),
  component: Administration,
});

/** Pages below ask for their data when they are drawn: one that is not drawn asks for nothing. */
function Administration() {
  return Route.useRouteContext().isAllowed ? <Outlet /> : <ForbiddenPage />;
}
