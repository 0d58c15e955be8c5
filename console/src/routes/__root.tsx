import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, Outlet } from "@tanstack/react-router";
import { LazyDialogs } from "@/session/LazyDialogs";
import { NotFound } from "@/ui/NotFound";
import { PageFailure } from "@/ui/PageFailure";

interface RouterContext {
  queryClient: QueryClient;
}

export const Route = createRootRouteWithContext<RouterContext>()({
  component: () => (
    <>
      <Outlet />
      <LazyDialogs />
    </>
  ),
  notFoundComponent: NotFound,
  errorComponent: PageFailure,
});
