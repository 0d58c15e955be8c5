import { createFileRoute, Outlet, redirect } from "@tanstack/react-router";
import { AppFrame } from "@/frame/AppFrame";
import { newPathOf } from "@/frame/oldPaths";
import { requireUser } from "@/session/guard";
import { statusQuery } from "@/session/session";
import { NotFound } from "@/ui/NotFound";
import { PageFailure } from "@/ui/PageFailure";

export const Route = createFileRoute("/console")({
  beforeLoad: async ({ context, location }) => {
    const moved = newPathOf(location.pathname);
    if (moved !== undefined) {
      throw redirect({ to: moved, replace: true });
    }
    await Promise.all([
      requireUser(context.queryClient, location.href),
      context.queryClient.ensureQueryData(statusQuery),
    ]);
  },
  component: () => (
    <AppFrame>
      <Outlet />
    </AppFrame>
  ),
  notFoundComponent: NotFound,
  errorComponent: PageFailure,
});
