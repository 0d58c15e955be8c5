import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PublicFrame } from "./PublicFrame";
import { RouterAnchor } from "./RouterAnchor";

/** A page for anybody, with the way to the console. */
export function PublicPage({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <PublicFrame
      layout="wide"
      aside={
        <RouterAnchor to="/console" size="sm">
          {t("frame.console")}
        </RouterAnchor>
      }
    >
      {children}
    </PublicFrame>
  );
}
