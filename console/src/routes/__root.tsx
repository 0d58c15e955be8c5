import { createRootRoute, Outlet } from "@tanstack/react-router";
import { AppFrame } from "@/ui/AppFrame";
import { NotFound } from "@/ui/NotFound";
import { PageFailure } from "@/ui/PageFailure";

export const Route = createRootRoute({
  component: () => (
    <AppFrame>
      <Outlet />
    </AppFrame>
  ),
  notFoundComponent: NotFound,
  errorComponent: PageFailure,
});
