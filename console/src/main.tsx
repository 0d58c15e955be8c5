// Entry of the console: translation, server state, theme and router, then the first page.

import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@/ui/density.css";
import { QueryClient } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { setUpTranslation } from "@/i18n/setup";
import { applyDensity } from "@/lib/density";
import { Providers } from "@/ui/Providers";
import { routeTree } from "./routeTree.gen";

// The gateway may be reached while the browser believes to be offline: a local network has no internet.
const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});
const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

const root = document.getElementById("root");
if (root === null) {
  throw new Error("console.html lacks the element #root");
}
applyDensity();
const translation = await setUpTranslation();
createRoot(root).render(
  <StrictMode>
    <Providers translation={translation} queryClient={queryClient}>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);
