import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, Outlet } from "@tanstack/react-router";
import { SignInAgain } from "@/session/SignInAgain";
import { StepUp } from "@/session/StepUp";
import { NotFound } from "@/ui/NotFound";
import { PageFailure } from "@/ui/PageFailure";

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
      <SignInAgain />
      <StepUp />
    </>
  ),
  notFoundComponent: NotFound,
  errorComponent: PageFailure,
});
