import { createFileRoute, Outlet } from "@tanstack/react-router";
import { ForbiddenPage } from "@/session/ForbiddenPage";
import { Forbidden, requireAdministrator } from "@/session/guard";
import { PageFailure } from "@/ui/PageFailure";

export const Route = createFileRoute("/console/_admin")({
  beforeLoad: ({ context, location }) => requireAdministrator(context.queryClient, location.href),
  component: Outlet,
  errorComponent: (failure) =>
    failure.error instanceof Forbidden ? <ForbiddenPage /> : <PageFailure {...failure} />,
});
