import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, Outlet } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { NotFound } from "@/ui/NotFound";
import { PageFailure } from "@/ui/PageFailure";

const Dialogs = lazy(() => import("@/session/Dialogs"));

interface RouterContext {
  queryClient: QueryClient;
}

export const Route = createRootRouteWithContext<RouterContext>()({
  component: () => (
    <>
      <Outlet />
      <Suspense>
        <Dialogs />
      </Suspense>
    </>
  ),
  notFoundComponent: NotFound,
  errorComponent: PageFailure,
});
