// Everything that a page needs around it: translation, server state, theme. Tests use it too.

import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { i18n } from "i18next";
import type { ReactNode } from "react";
import { I18nextProvider } from "react-i18next";
import { THEME_KEY } from "@/lib/theme";
import { cssVariables, mantineTheme } from "./mantineTheme";
import { Toaster } from "./Toaster";

const colorSchemeManager = localStorageColorSchemeManager({ key: THEME_KEY });

export interface ProvidersProps {
  translation: i18n;
  queryClient: QueryClient;
  /** `test` switches transitions and portals off. */
  environment?: "default" | "test";
  children: ReactNode;
}

export function Providers({
  translation,
  queryClient,
  environment = "default",
  children,
}: ProvidersProps) {
  return (
    <I18nextProvider i18n={translation}>
      <QueryClientProvider client={queryClient}>
        <MantineProvider
          theme={mantineTheme}
          cssVariablesResolver={cssVariables}
          colorSchemeManager={colorSchemeManager}
          defaultColorScheme="auto"
          env={environment}
        >
          {children}
          <Toaster />
        </MantineProvider>
      </QueryClientProvider>
    </I18nextProvider>
  );
}
