import { createFileRoute, redirect } from "@tanstack/react-router";

/** An address that people know from other gateways. */
export const Route = createFileRoute("/pricing")({
  beforeLoad: () => {
    throw redirect({ to: "/models", replace: true });
  },
});
