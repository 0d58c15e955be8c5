import { queryOptions, useQuery } from "@tanstack/react-query";
import type { i18n } from "i18next";
import { useTranslation } from "react-i18next";
import { addLaterTexts } from "@/i18n/later";

/** The texts of a language that are fetched later; once for each language. */
export function laterTextsQuery(i18n: i18n) {
  return queryOptions({
    queryKey: ["texts", i18n.language],
    queryFn: () => addLaterTexts(i18n, i18n.language),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** How far they are, for what has something else to say where they do not come. */
export function useLaterTexts(isWanted = true): "pending" | "success" | "error" {
  const { i18n } = useTranslation();
  return useQuery({ ...laterTextsQuery(i18n), enabled: isWanted }).status;
}
