import { createFileRoute, redirect } from "@tanstack/react-router";

export const Route = createFileRoute("/console/_admin/settings/")({
  beforeLoad: () => {
    throw redirect({
      to: "/console/settings/$section",
      params: { section: "general" },
      replace: true,
    });
  },
});
