import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, Outlet } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { NotFound } from "@/ui/NotFound";
import { PageFailure } from "@/ui/PageFailure";

const Dialogs = lazy(() => import("@/session/Dialogs"));

interface RouterContext {
  queryClient: QueryClient;
}

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** The page is not there yet: no menu leads to it. */
    isMissing?: true;
  }
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
