// What the page of orders keeps in its address.

import {
  cursorFields,
  integer,
  oneOf,
  type SearchValues,
  searchOf,
  tableFields,
  text,
} from "@/lib/search";
import { ORDER_STATUSES } from "@/records/OrderStatus";

const FIELDS = {
  ...tableFields,
  ...cursorFields,
  view: oneOf(["deliveries"]),
  status: oneOf(ORDER_STATUSES),
  provider: text(),
  user_id: integer(1),
  verdict: text(),
  /** Narrows deliveries to one order. */
  order_id: text(),
  /** The order in the drawer. */
  order: text(),
  /** The delivery in the drawer: `provider/event`. */
  event: text(),
} as const;

export type OrdersSearch = SearchValues<typeof FIELDS>;

export const ordersSearch = searchOf(FIELDS);
