import { createFileRoute } from "@tanstack/react-router";
import { walletSearch } from "@/features/wallet/search";
import { WalletPage } from "@/features/wallet/WalletPage";

export const Route = createFileRoute("/console/wallet")({
  validateSearch: walletSearch,
  component: WalletPage,
});
