// What the bell tells: announcements, one's own low balance, and open incidents for administrators.

import { useQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { isBalanceLow, lowBalanceThreshold } from "@/lib/lowBalance";
import { formatUsd } from "@/lib/money";
import { incidentWords } from "@/said/incident";
import { statusQuery, useSession } from "@/session/session";
import { useLaterTexts } from "@/ui/useLaterTexts";
import { noticesQuery } from "../notices";
import { useOpenIncidents } from "../openIncidents";

export interface BellItem {
  /** Changes when there is something new to say. */
  id: string;
  tone: "notice" | "warning" | "critical";
  title: string;
  text: string;
  at?: string;
  link?: Pick<LinkProps, "to" | "params">;
}

export function useBellItems(): BellItem[] {
  const { t, i18n } = useTranslation();
  const notices = useQuery(noticesQuery).data ?? [];
  const incidents = useOpenIncidents();
  const balance = useBalanceItem();
  const hasTexts = useLaterTexts(incidents.length > 0) === "success";
  return [
    ...incidents.map((incident): BellItem => {
      const { id, severity, opened_at } = incident;
      const { title, summary } = hasTexts ? incidentWords(t, i18n.language, incident) : incident;
      return {
        id: `incident ${id}`,
        tone: severity === "critical" ? "critical" : "warning",
        title,
        text: summary,
        at: opened_at,
        link: { to: "/console/incidents/$id", params: { id: String(id) } },
      };
    }),
    ...(balance === undefined ? [] : [balance]),
    ...notices.map(
      ({ id, title, body, level, starts_at }): BellItem => ({
        id: `notice ${id}`,
        tone: level === "incident" ? "warning" : "notice",
        title,
        text: body,
        at: starts_at,
      }),
    ),
  ];
}

/** Only where there is a wallet: elsewhere nobody pays. */
function useBalanceItem(): BellItem | undefined {
  const { t, i18n } = useTranslation();
  const { user } = useSession();
  const hasWallet = useQuery(statusQuery).data?.wallet === true;
  const threshold = lowBalanceThreshold(user.id);
  if (!hasWallet || !isBalanceLow(user.quota_usd, threshold)) {
    return undefined;
  }
  const balance = formatUsd(user.quota_usd, i18n.language);
  return {
    id: `balance ${threshold}`,
    tone: "warning",
    title: t("bell.lowBalance"),
    text: t("bell.lowBalanceText", { balance }),
    link: { to: "/console/wallet" },
  };
}
