import { createFileRoute } from "@tanstack/react-router";
import { OrdersPage } from "@/features/orders/OrdersPage";
import { ordersSearch } from "@/features/orders/search";

export const Route = createFileRoute("/console/_admin/orders")({
  validateSearch: ordersSearch,
  component: OrdersPage,
});
