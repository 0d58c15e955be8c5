import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { laterTextsQuery } from "./useLaterTexts";

/** Draws what is in it once the texts that are fetched later have arrived. */
export function LaterTexts({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation();
  const { isSuccess } = useQuery({ ...laterTextsQuery(i18n), throwOnError: true });
  return isSuccess ? children : null;
}
