// The receipt of a paid order as plain text, for one's own books.

import type { TFunction } from "i18next";
import type { Order } from "./api";

export function receiptOf(order: Order, payer: string, t: TFunction, language: string): string {
  const time = (at: string | null) =>
    at === null
      ? "—"
      : `${new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "long" }).format(new Date(at))} (${at})`;
  const lines = [
    [t("wallet.column.order"), order.order_id],
    [t("wallet.order.payer"), payer],
    [t("wallet.order.toPay"), `${order.amount} ${order.currency.toUpperCase()}`],
    [t("wallet.column.credit"), `${order.quota_usd} USD`],
    [t("wallet.order.takenBack"), `${order.taken_back_usd} USD`],
    [t("wallet.column.provider"), order.provider],
    [t("wallet.order.payment"), order.payment_id ?? "—"],
    [t("wallet.order.made"), time(order.created_at)],
    [t("wallet.order.paidAt"), time(order.completed_at)],
  ];
  return `${t("wallet.order.receipt")}\n\n${lines.map(([name, value]) => `${name}: ${value}\n`).join("")}`;
}
