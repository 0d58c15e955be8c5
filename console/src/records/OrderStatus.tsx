// How the state of an order is told wherever orders are shown.

import { useTranslation } from "react-i18next";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";

/** States as the interface names them. */
export const ORDER_STATUSES = [
  "pending",
  "paid",
  "failed",
  "expired",
  "refunded",
  "disputed",
  "mismatch",
] as const;

type Status = (typeof ORDER_STATUSES)[number];

/** The text of each state; an unknown one is shown as the gateway wrote it. */
export const ORDER_STATUS_TEXT = {
  pending: "orders.status.pending",
  paid: "orders.status.paid",
  failed: "orders.status.failed",
  expired: "orders.status.expired",
  refunded: "orders.status.refunded",
  disputed: "orders.status.disputed",
  mismatch: "orders.status.mismatch",
} as const satisfies Record<Status, string>;

const TONES: Readonly<Record<Status, Tone>> = {
  pending: "busy",
  paid: "good",
  failed: "bad",
  expired: "idle",
  refunded: "idle",
  disputed: "warning",
  mismatch: "bad",
};

/** Narrows the interface's text. */
export function orderStatusOf(status: string): Status | undefined {
  return ORDER_STATUSES.find((each) => each === status);
}

/** The state as a badge. */
export function OrderStatus({ status }: { status: string }) {
  const { t } = useTranslation();
  const known = orderStatusOf(status);
  return known === undefined ? (
    <StatusBadge tone="idle" label={status} />
  ) : (
    <StatusBadge tone={TONES[known]} label={t(ORDER_STATUS_TEXT[known])} />
  );
}
