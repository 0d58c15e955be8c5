import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { addLaterTexts } from "@/i18n/later";

/** Draws what is in it once the texts that are fetched later have arrived. */
export function LaterTexts({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation();
  const { isSuccess } = useQuery({
    queryKey: ["texts", i18n.language],
    queryFn: () => addLaterTexts(i18n, i18n.language),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    throwOnError: true,
  });
  return isSuccess ? children : null;
}
