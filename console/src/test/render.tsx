// Draws a component as the console does: English, fresh server state, real theme.

import { QueryClient } from "@tanstack/react-query";
import { type RenderResult, render } from "@testing-library/react";
import type { ReactNode } from "react";
import type { Language } from "@/i18n/languages";
import { setUpTranslation } from "@/i18n/setup";
import { Providers } from "@/ui/Providers";

/** Renders inside all providers; resolves once the translation is loaded. */
export async function renderInConsole(
  children: ReactNode,
  language: Language = "en",
): Promise<RenderResult> {
  const translation = await setUpTranslation(language);
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(
    <Providers translation={translation} queryClient={queryClient} environment="test">
      {children}
    </Providers>,
  );
}
