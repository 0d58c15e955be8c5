// Events of the sandbox payment provider, signed by hand as docs/payments.md says.

import { createHmac } from "node:crypto";
import { type Gateway, SANDBOX_SECRET } from "./gateway";

export interface PaidOrder {
  order_id: string;
  session_id: string | null;
  amount: string;
}

/** The event that says that an order was paid. */
export function paidEvent(order: PaidOrder, id: string): string {
  const object = {
    id: order.session_id,
    object: "checkout.session",
    status: "complete",
    payment_status: "paid",
    client_reference_id: order.order_id,
    payment_intent: `pi_${order.order_id}`,
    amount_total: Math.round(Number(order.amount) * 100),
    currency: "usd",
    livemode: false,
    metadata: { order_id: order.order_id },
  };
  const type = "checkout.session.completed";
  return JSON.stringify({ id, object: "event", livemode: false, type, data: { object } });
}

/** Delivers an event; another secret makes its signature wrong. Resolves to the status. */
export async function deliver(
  gateway: Pick<Gateway, "address">,
  body: string,
  secret = SANDBOX_SECRET,
): Promise<number> {
  const time = Math.floor(Date.now() / 1_000);
  const signature = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  const answer = await fetch(`${gateway.address}/api/payment/webhook`, {
    method: "POST",
    headers: { "modelgate-signature": `t=${time},v1=${signature}` },
    body,
  });
  return answer.status;
}
