import { VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Turn, textOf } from "../model/conversation";

/** Tells screen readers that a reply is being made, and then the whole of it, once. */
export function Announcer({ isRunning, last }: { isRunning: boolean; last: Turn | undefined }) {
  const { t } = useTranslation();
  const said = last?.role === "assistant" ? textOf(last) : "";
  return (
    <VisuallyHidden role="status" aria-live="polite" aria-atomic="true">
      {isRunning ? t("playground.generating") : said}
    </VisuallyHidden>
  );
}
